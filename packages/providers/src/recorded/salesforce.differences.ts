import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  hasAssociations: true,
  // The id, too: without it, two records look the same.
  otherwise: {
    'read-emails-has-next': ['"fields":"', '"fields":"id,'],
    'read-emails-incremental-last-page': ['"fields":"', '"fields":"id,'],
    'read-prospects-last-page': ['"fields":"', '"fields":"id,'],
  },
  refusedAsWhole: ['batchWrite-contact'],
}
