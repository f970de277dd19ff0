import { type Differences, excludesBound, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  { why: excludesBound, cases: ['read-conversations-incremental-has-next'], secondsEarlier: 1 },
  {
    why: unknownObject,
    cases: ['update-signals-error', 'create-signals', 'update-signals'],
    unknownObject: 'contacts',
  },
]
