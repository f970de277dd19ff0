import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  // Jobs change after they are created: all are read, and those without a change in the window are dropped.
  otherwise: {
    'read-contextcapture-jobs-incremental-last-page': [
      '{"$filter":"createdDateTime ge 2024-06-01T00:00:00Z and createdDateTime le 2024-06-30T00:00:00Z"}',
      '{"$filter":"createdDateTime ge 2000-01-01T00:00:00Z"}',
    ],
    'read-contextcapture-jobs-incremental-last-page-2': [
      '{"$filter":"createdDateTime ge 2024-06-01T00:00:00Z"}',
      '{"$filter":"createdDateTime ge 2000-01-01T00:00:00Z"}',
    ],
  },
}
