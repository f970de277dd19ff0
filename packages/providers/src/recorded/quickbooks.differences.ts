import type { Differences } from './differences.testkit.ts'

export const differences: Differences = [
  {
    why: 'The file declares the fields of this object. Mortise describes it without a request for a sample.',
    cases: ['metadata-account', 'metadata-account-2'],
    expect: { objectErrors: {}, objects: { account: { fields: { Name: {} } } } },
  },
  {
    why: "Intuit documents the customer's own fields as connections (`edges` and `node`), which Mortise requests. The recorded response has another form.",
    cases: ['metadata-customer', 'metadata-customer-account'],
    leftOut: [
      'objects.customer.fields.ProjectCode',
      'objects.customer.fields.Department',
      'objects.customer.fields.BudgetAmount',
      'objects.customer.fields.StartDate',
      'objects.customer.fields.Status',
    ],
  },
  {
    why: 'QuickBooks lists inactive records only if a query names them. Mortise reads them, too, because it would miss that a record became inactive.',
    cases: ['read-account-last-page', 'read-account-has-next', 'read-account-last-page-2', 'read-account-last-page-3'],
    otherwise: ['FROM Account STARTPOSITION', 'FROM Account WHERE Active IN (true, false) STARTPOSITION'],
  },
  {
    why: 'QuickBooks lists inactive records only if a query names them. Mortise reads them, too, because it would miss that a record became inactive.',
    cases: ['read-customer-last-page', 'read-customer-last-page-2'],
    otherwise: ['FROM Customer STARTPOSITION', 'FROM Customer WHERE Active IN (true, false) STARTPOSITION'],
  },
  {
    why: 'QuickBooks lists inactive records only if a query names them. Mortise reads them, too, because it would miss that a record became inactive.',
    cases: ['read-item-last-page'],
    otherwise: ['FROM Item STARTPOSITION', 'FROM Item WHERE Active IN (true, false) STARTPOSITION'],
  },
  {
    why: 'An update of QuickBooks names the version that it changes. Mortise reads the record first, to find its version.',
    cases: ['update-purchase'],
    alsoRequested: [
      {
        path: '/v3/company/123456789/purchase/055712c7-0fcf-4ba2-a900-1200f10cfe28',
        body: { Purchase: { SyncToken: '0' } },
      },
    ],
  },
]
