import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'read-invoices-incremental-has-next':
      'Its window is the time of creation. Here, events say which invoices changed: stripe.test.ts.',
  },
  unknownObjects: { payment_intent: 'payment_intents' },
}
