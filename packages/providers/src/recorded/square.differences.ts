import type { Differences } from './differences.testkit.ts'

export const differences: Differences = {
  notRun: {
    'metadata-customers-3': 'Without a record to sample, an object is described without fields here.',
    'read-cards-following-page-has-next': 'The recorded answer repeats the cursor that was sent: refused here.',
    'read-catalogitems-following-page-has-next': 'The recorded answer repeats the cursor that was sent: refused here.',
    'read-payments-incremental-has-next':
      'Square lists the main location by default: here each location is read, by the time of change.',
    'read-payments-following-page-last-page': 'Each location is read: a page belongs to a location.',
    'read-payouts-incremental-has-next': 'Each location is read, and payouts are filtered by the time of their change.',
  },
  // The search finds changed customers; the list has no window.
  otherwise: { 'read-customers-incremental-last-page': ['"/v2/customers"', '"/v2/customers/search"'] },
}
