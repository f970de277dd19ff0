import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Teamwork does not document whether a list has what changed in the second of the filter. So Mortise begins one second earlier, and misses no change.',
    cases: ['read-companies-incremental-has-next'],
    secondsEarlier: 1,
  },
]
