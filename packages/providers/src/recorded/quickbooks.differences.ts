import type { Differences } from './differences.testkit.ts'

const ownFields = ['ProjectCode', 'Department', 'BudgetAmount', 'StartDate', 'Status'].map(
  (name) => `customer.fields.${name}`,
)

const inactiveToo = (entity: string) =>
  [`FROM ${entity} STARTPOSITION`, `FROM ${entity} WHERE Active IN (true, false) STARTPOSITION`] as const

export const differences: Differences = {
  // Intuit documents these answers as connections (`edges`, `node`, `label`), which are requested: quickbooks.test.ts.
  leftOut: {
    'metadata-customer': ownFields,
    'metadata-customer-account': ownFields,
  },
  // Inactive records are read, too.
  otherwise: {
    'read-account-last-page': inactiveToo('Account'),
    'read-customer-last-page': inactiveToo('Customer'),
    'read-account-has-next': inactiveToo('Account'),
    'read-account-last-page-2': inactiveToo('Account'),
    'read-item-last-page': inactiveToo('Item'),
    'read-customer-last-page-2': inactiveToo('Customer'),
    'read-account-last-page-3': inactiveToo('Account'),
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
