import { type Differences, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The label is `Deals`, as in the interface of Apollo. The recording repeats the name of the object.',
    cases: ['metadata-deals'],
    leftOut: ['objects.deals.displayName'],
  },
  {
    why: unknownObject,
    cases: ['metadata-arsenal'],
    expect: { objectErrors: { arsenal: { class: 'unsupported_object' } } },
  },
  {
    why: 'Apollo documents its paths below `/api/v1`.',
    cases: ['read-sequences-last-page'],
    otherwise: ['/v1/emailer_campaigns', '/api/v1/emailer_campaigns'],
  },
  {
    why: 'The object is `deals`, also in reads. The recording writes its name with a capital letter.',
    cases: ['update-deals'],
    names: { Deals: 'deals' },
  },
]
