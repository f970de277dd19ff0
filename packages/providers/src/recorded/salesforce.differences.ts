import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'Salesforce refused the whole batch. Mortise reports the error of the batch, and no result for single records.',
    cases: ['batchWrite-contact'],
    expect: { results: [] },
  },
  {
    why: 'Mortise requests the id, too. Without it, two records look the same.',
    cases: ['read-emails-has-next', 'read-emails-incremental-last-page', 'read-prospects-last-page'],
    otherwise: ['"fields":"', '"fields":"id,'],
  },
  {
    why: 'Mortise receives events by the Pub/Sub API, where they have another form.',
    cases: [
      'webhookEvent-update-user',
      'webhookEvent-update-contact',
      'webhookEvent-new-account',
      'webhookEvent-update-contact-compound-address',
      'webhookEvent-update-lead-compound-address',
    ],
    fails: true,
  },
]
