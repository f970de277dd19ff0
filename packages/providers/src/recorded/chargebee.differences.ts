import { type Differences, excludesBound } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: excludesBound,
    cases: ['read-customers-incremental-last-page', 'read-subscriptions-incremental-has-next'],
    secondsEarlier: 1,
  },
]
