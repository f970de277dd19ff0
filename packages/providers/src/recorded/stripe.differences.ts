import { type Differences, eventObjects } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The object is called `payment_intents`, as in the paths of Stripe. Mortise refuses the singular before a request.',
    cases: ['readByIds-payment-intent'],
    unknownObject: 'payment_intents',
  },
  {
    why: 'Stripe filters invoices by the time of creation, and would miss changes. Mortise finds changed invoices by events.',
    cases: ['read-invoices-incremental-has-next'],
    fails: true,
  },
  {
    why: 'Mortise registers another webhook with the new events, and removes the old one. The recording changes the webhook.',
    cases: ['updateSubscription-customers-invoices', 'updateSubscription-customers-quotes'],
    fails: true,
  },
  { why: eventObjects, cases: ['webhookEvent-setup-intent-created-event'], names: { setup_intent: 'setup_intents' } },
]
