import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Avoma documents its paths with a slash at the end.',
    cases: ['read-meetings-incremental-has-next'],
    otherwise: ['"/v1/meetings"', '"/v1/meetings/"'],
  },
  {
    why: 'Avoma documents its paths with a slash at the end.',
    cases: ['read-users-last-page'],
    otherwise: ['"/v1/users"', '"/v1/users/"'],
  },
]
