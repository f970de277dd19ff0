import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'updateSubscription-customers-invoices': 'A changed registration is a new one here, and the old one is removed.',
    'updateSubscription-customers-quotes': 'A changed registration is a new one here, and the old one is removed.',
    'webhookVerify-custom-tolerance-exceeded': 'The tolerance is that of the file.',
    'read-invoices-incremental-has-next':
      'Its window is the time of creation. Here, events say which invoices changed: stripe.test.ts.',
  },
  unknownObjects: { payment_intent: 'payment_intents' },
  eventObjects: { setup_intent: 'setup_intents' },
}
