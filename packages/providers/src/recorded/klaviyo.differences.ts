import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // Records of the very instant are included.
  otherwise: { 'read-campaigns-incremental-last-page': ['greater-than(', 'greater-or-equal('] },
  // Klaviyo has retired the recorded revision: developers.klaviyo.com/en/docs/api_versioning_and_deprecation_policy.
  headers: { revision: ['2024-10-15', '2026-07-15'] },
}
