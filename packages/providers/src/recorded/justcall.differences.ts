import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'JustCall filters by the time zone of the account, which no request shows. So a window begins one day earlier, and misses no call.',
    cases: ['read-calls-incremental-has-next'],
    secondsEarlier: 86400,
  },
]
