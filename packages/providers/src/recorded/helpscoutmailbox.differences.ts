import { type Differences, unknownObject } from './differences.testkit.ts'

export const differences: Differences = [
  { why: unknownObject, cases: ['read-arsenal-error', 'create-arsenal-error'], unknownObject: 'conversations' },
]
