import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'read-campaigns-incremental-last-page':
      'The recording reads one channel, and no archived campaigns. See klaviyo.test.ts.',
  },
  // Klaviyo has retired the recorded revision: developers.klaviyo.com/en/docs/api_versioning_and_deprecation_policy.
  headers: { revision: ['2024-10-15', '2026-07-15'] },
}
