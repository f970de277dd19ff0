import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'GoTo does not document the pages of sessions well enough to read all of them.',
    cases: ['metadata-sessions', 'read-sessions-last-page'],
    fails: true,
  },
  {
    why: 'The recording has the key of the account in place of an organizer. Mortise reads the webinars of the whole account by the path of accounts.',
    cases: ['read-webinars-has-next'],
    otherwise: ['/organizers/8967235839898/webinars', '/accounts/8967235839898/webinars'],
  },
]
