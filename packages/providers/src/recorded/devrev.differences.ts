import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Mortise sorts by the time of change, oldest first. A record that changes during the read is read again. In the other order, the next page would skip a record.',
    cases: [
      'read-accounts-last-page',
      'read-accounts-has-next',
      'read-accounts-has-next-2',
      'read-accounts-incremental-has-next',
      'read-accounts-last-page-2',
    ],
    otherwise: ['modified_date:desc', 'modified_date:asc'],
  },
  {
    why: 'A token is a credential. Mortise does not write credentials as records.',
    cases: ['create-auth-tokens'],
    fails: true,
  },
]
