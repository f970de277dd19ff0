import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // Avoma documents its paths with a slash at the end.
  otherwise: {
    'read-meetings-incremental-has-next': ['"/v1/meetings"', '"/v1/meetings/"'],
    'read-users-last-page': ['"/v1/users"', '"/v1/users/"'],
  },
}
