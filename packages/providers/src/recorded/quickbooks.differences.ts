import type { Differences } from './differences.testkit.ts'

const ownFields = ['ProjectCode', 'Department', 'BudgetAmount', 'StartDate', 'Status'].map(
  (name) => `customer.fields.${name}`,
)

export const differences: Differences = {
  // Intuit documents these answers as connections (`edges`, `node`, `label`), which are requested: quickbooks.test.ts.
  leftOut: {
    'metadata-customer': ownFields,
    'metadata-customer-account': ownFields,
  },
  declaredFields: ['metadata-account', 'metadata-account-2'],
  // A change names the version of the record that it changes.
  requestedBefore: {
    'update-purchase': {
      path: '/v3/company/123456789/purchase/055712c7-0fcf-4ba2-a900-1200f10cfe28',
      body: { Purchase: { SyncToken: '0' } },
    },
  },
}
