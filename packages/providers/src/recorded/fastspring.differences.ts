import type { Differences } from './differences.testkit.ts'

const idsOnly = 'FastSpring documents that this list contains ids instead of records: each record is requested.'
const eventsNot = 'FastSpring documents no way to the events after the first 25, so that they are not read.'

export const differences: Differences = {
  notRun: {
    'update-subscriptions':
      'FastSpring documents one path for all subscriptions, with a list of changes, not this one.',
    'read-accounts-has-next': idsOnly,
    'read-accounts-following-page-last-page': idsOnly,
    'read-events-processed-incremental-last-page': eventsNot,
    'metadata-accounts-orders-products-subscriptions-events-pr-static': eventsNot,
  },
}
