import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The list of deleted records excludes the second in which the window begins. So Mortise begins one second earlier, and misses no deletion.',
    cases: ['read-parties-incremental-has-next'],
    secondsEarlier: 1,
  },
]
