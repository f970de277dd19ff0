import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The recorded response names a second page (`next_page: 2`). Mortise reads it next.',
    cases: ['read-people-last-page', 'read-people-last-page-2', 'read-people-last-page-3'],
    expect: { done: false },
  },
]
