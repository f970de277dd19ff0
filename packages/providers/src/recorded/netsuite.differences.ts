import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The recording requests the time zone of the account. Mortise begins windows one day earlier, so that it needs no time zone.',
    cases: [
      'postAuthentication-ok',
      'postAuthentication-ok-2',
      'postAuthentication-ok-3',
      'postAuthentication-ok-4',
      'postAuthentication-ok-5',
    ],
    fails: true,
  },
]
