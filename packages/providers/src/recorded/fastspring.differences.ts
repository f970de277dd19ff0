import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'FastSpring documents no request for the events after the first 25. A list would be incomplete, so Mortise does not read them.',
    cases: [
      'metadata-accounts-orders-products-subscriptions-events-pr-static',
      'read-events-processed-incremental-last-page',
    ],
    fails: true,
  },
  {
    why: 'FastSpring documents a list of ids, not of records. Mortise requests each record by its id.',
    cases: ['read-accounts-has-next', 'read-accounts-following-page-last-page'],
    fails: true,
  },
  {
    why: 'FastSpring documents one path for all subscriptions, with a list of changes.',
    cases: ['update-subscriptions'],
    fails: true,
  },
]
