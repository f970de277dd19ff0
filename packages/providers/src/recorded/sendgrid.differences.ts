import type { Differences } from './differences.testkit.ts'

const templates = ['"page_size":"100"', '"page_size":"200"'] as const
const lists = ['"page_size":"100"', '"page_size":"1000"'] as const

export const differences: Differences = {
  notRun: {
    'metadata-contacts-lists-segments-singlesends-templates-fi-static':
      'Mortise requests the custom fields of contacts, and the recording has no response to that. See send-grid.test.ts.',
  },
  // The largest pages that SendGrid documents.
  otherwise: {
    'read-templates-last-page': templates,
    'read-templates-last-page-2': templates,
    'read-lists-last-page': lists,
    'read-lists-last-page-2': lists,
    'read-bounces-last-page': ['"limit":"100"', '"limit":"500"'],
  },
}
