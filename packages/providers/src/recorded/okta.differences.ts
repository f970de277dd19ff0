import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The System Log lists seven days, unless a request names an older time. Okta limits how old, so no request lists all of it.',
    cases: ['metadata-logs-static'],
    fails: true,
  },
]
