import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The OpenAPI document of GetResponse has no deletion of a campaign.',
    cases: ['delete-campaigns'],
    fails: true,
  },
  {
    why: 'GetResponse filters contacts by the time of creation, and would miss changes. Mortise reads all contacts, and compares the time of change.',
    cases: ['read-contacts-incremental-last-page'],
    otherwise: [
      '"query":{"query[createdOn][from]":"2024-01-01T00:00:00+0000","query[createdOn][to]":"2024-01-31T23:59:59+0000"}',
      '"queryAbsent":["query[createdOn][from]"]',
    ],
  },
  {
    why: 'A field of the customer has a list of values, and Mortise reads all of them. The recording takes the first.',
    cases: ['read-contacts-last-page'],
    leftOut: ['records.0.fields.cf_f1'],
  },
]
