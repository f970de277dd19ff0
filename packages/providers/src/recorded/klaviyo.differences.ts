import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // Records of the very instant are included.
  otherwise: { 'read-campaigns-incremental-last-page': ['greater-than(', 'greater-or-equal('] },
}
