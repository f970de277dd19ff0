import { type Differences, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Pipedrive lists archived records separately. Mortise reads that list next, so that it misses no record.',
    cases: ['read-deals-last-page', 'read-deals-last-page-2', 'read-leads-last-page'],
    expect: { done: false },
  },
  { why: unknownObject, cases: ['create-arsenal-error'], unknownObject: 'activities' },
]
