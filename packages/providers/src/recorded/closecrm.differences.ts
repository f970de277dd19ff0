import { type Differences, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  { why: unknownObject, cases: ['read-united-error'], unknownObject: 'lead' },
  { why: unknownObject, cases: ['read-opportunity-stages-last-page'], unknownObject: 'lead' },
  { why: unknownObject, cases: ['create-lalala-error'], unknownObject: 'lead' },
]
