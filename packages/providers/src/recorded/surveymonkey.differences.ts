import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Mortise requests the first page without a number. It is the same page.',
    cases: ['read-contacts-last-page'],
    otherwise: ['"page":"1",', ''],
  },
]
