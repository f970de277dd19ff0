import { type Differences, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: unknownObject,
    cases: ['metadata-butterflies'],
    expect: { objectErrors: { butterflies: { class: 'unsupported_object' } } },
  },
  {
    why: 'The object has the name that ChargeOver uses in its paths, `customer`.',
    cases: ['metadata-customers'],
    names: { customers: 'customer' },
  },
]
