import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  endsAtShortPage: ['read-campaigns-has-next', 'read-tags-has-next'],
  codes: ['Not Found', 'Bad Request'],
}
