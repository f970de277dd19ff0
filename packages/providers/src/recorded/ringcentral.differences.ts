import { type Differences, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: unknownObject,
    cases: ['metadata-butterflies'],
    expect: { objectErrors: { butterflies: { class: 'unsupported_object' } } },
  },
]
