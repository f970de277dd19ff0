import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Fields of linked records have the names that queries use, such as `contact.id`. The recording has them as paths.',
    cases: ['metadata-company-config-user'],
    fails: true,
  },
]
