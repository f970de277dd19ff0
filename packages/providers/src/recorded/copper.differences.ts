import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  endsAtShortPage: ['read-projects-incremental-has-next', 'read-companies-has-next'],
}
