import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: "Mortise requests the customer's own fields of contacts. The recording has no response to that.",
    cases: ['metadata-contacts-lists-segments-singlesends-templates-fi-static'],
    alsoRequested: [{ path: '/v3/marketing/field_definitions', body: { custom_fields: [] } }],
  },
  {
    why: 'Mortise requests the largest page that SendGrid documents.',
    cases: ['read-templates-last-page', 'read-templates-last-page-2'],
    otherwise: ['"page_size":"100"', '"page_size":"200"'],
  },
  {
    why: 'Mortise requests the largest page that SendGrid documents.',
    cases: ['read-lists-last-page', 'read-lists-last-page-2'],
    otherwise: ['"page_size":"100"', '"page_size":"1000"'],
  },
  {
    why: 'Mortise requests the largest page that SendGrid documents.',
    cases: ['read-bounces-last-page'],
    otherwise: ['"limit":"100"', '"limit":"500"'],
  },
]
