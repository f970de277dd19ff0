import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Mortise registers, renews and removes each subscription by a request for it. The recording puts them into one batch.',
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
