import type { Differences } from './differences.testkit.ts'

const stream = 'Events come by the Pub/Sub API here, where they have another form: salesforce-stream.test.ts.'

export const differences: Differences = {
  hasAssociations: true,
  // The id, too: without it, two records look the same.
  otherwise: {
    'read-emails-has-next': ['"fields":"', '"fields":"id,'],
    'read-emails-incremental-last-page': ['"fields":"', '"fields":"id,'],
    'read-prospects-last-page': ['"fields":"', '"fields":"id,'],
  },
  refusedAsWhole: ['batchWrite-contact'],
  notRun: {
    'webhookEvent-update-user': stream,
    'webhookEvent-update-contact': stream,
    'webhookEvent-new-account': stream,
    'webhookEvent-update-contact-compound-address': stream,
    'webhookEvent-update-lead-compound-address': stream,
  },
}
