import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Mortise registers, renews and removes each subscription by its own request, so that one failure undoes no other subscription. The recording puts them into one batch. Its `clientState` is the name of the object, which anyone could send. Mortise sends a secret.',
    cases: [
      'subscribe-me-messages-movies-error',
      'subscribe-me-messages-movies-error-2',
      'subscribe-me-messages',
      'unsubscribe-me-messages-me-events',
      'updateSubscription-me-messages-me-events-groups',
      'updateSubscription-me-events-error',
      'updateSubscription-me-messages-error',
      'updateSubscription-me-messages',
    ],
    fails: true,
  },
]
