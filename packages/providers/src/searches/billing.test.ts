import { testSearches } from './search-cases.testkit.ts'

/** Searches of shops and invoices, as the documentation of each provider shows them. */

const ada = 'ada@example.com'

testSearches([
  {
    provider: 'bigCommerce',
    object: 'customers',
    by: { email: ada },
    asks: 'GET /v3/customers?limit=250&page=1&sort=date_created:asc&email:in=ada@example.com',
    answer: { data: [{ id: 1, email: ada }], meta: { pagination: { total: 1, total_pages: 1 } } },
    finds: ['1'],
  },
  {
    provider: 'bigCommerce',
    object: 'products',
    by: { sku: 'OCC' },
    asks: 'GET /v3/catalog/products?limit=250&sort=id&direction=asc&sku=OCC',
    answer: {
      data: [
        { id: 1, sku: 'OCC' },
        { id: 2, sku: 'OCC-2' },
      ],
      meta: { pagination: {} },
    },
    finds: ['1'],
  },
  {
    provider: 'ecwid',
    object: 'orders',
    by: { email: ada },
    asks: 'GET /orders?limit=100&offset=0&email=ada@example.com',
    answer: { total: 1, items: [{ id: 'XJ12H', email: ada }] },
    finds: ['XJ12H'],
  },
  {
    provider: 'freshbooks',
    object: 'clients',
    by: { email: ada },
    asks: 'GET /accounting/account/accountId/users/clients?page=1&per_page=100&search[email]=ada@example.com',
    answer: { response: { result: { clients: [{ id: 4, email: ada }], pages: 1, total: 1 } } },
    finds: ['4'],
  },
  {
    provider: 'lemonSqueezy',
    object: 'subscriptions',
    by: { user_email: ada, status: 'active' },
    asks: 'GET /subscriptions?page[size]=100&page[number]=1&filter[user_email]=ada@example.com&filter[status]=active',
    answer: {
      data: [{ type: 'subscriptions', id: '1', attributes: { user_email: ada, status: 'active' } }],
      meta: { page: { lastPage: 1, total: 1 } },
    },
    finds: ['1'],
  },
  {
    provider: 'maxio',
    object: 'customers',
    by: { email: ada },
    asks: 'GET /customers.json?page=1&per_page=200&direction=asc&q=ada@example.com',
    answer: [{ customer: { id: 5, email: ada } }, { customer: { id: 6, email: 'xada@example.com' } }],
    finds: ['5'],
  },
  {
    provider: 'paddle',
    object: 'customers',
    by: { email: ada },
    asks: 'GET /customers?per_page=200&order_by=id[ASC]&status=active,archived&email=ada@example.com',
    answer: { data: [{ id: 'ctm_1', email: ada }], meta: { pagination: { has_more: false } } },
    finds: ['ctm_1'],
  },
  {
    provider: 'paddle',
    object: 'transactions',
    by: { subscription_id: 'sub_1', status: 'paid' },
    asks: 'GET /transactions?per_page=30&order_by=id[ASC]&subscription_id=sub_1&status=paid',
    answer: {
      data: [{ id: 'txn_1', subscription_id: 'sub_1', status: 'paid' }],
      meta: { pagination: { has_more: false } },
    },
    finds: ['txn_1'],
  },
  {
    provider: 'recurly',
    object: 'accounts',
    by: { email: ada },
    asks: 'GET /accounts?limit=200&sort=created_at&order=asc&email=ada@example.com',
    answer: { data: [{ id: 'e28', email: ada }], has_more: false },
    finds: ['e28'],
  },
  {
    provider: 'square',
    object: 'customers',
    by: { email_address: ada, reference_id: 'R-7' },
    asks: 'POST /v2/customers/search {"limit":100,"query":{"filter":{"email_address":{"exact":"ada@example.com"},"reference_id":{"exact":"R-7"}}}}',
    answer: { customers: [{ id: 'JDKY', email_address: ada }] },
    finds: ['JDKY'],
  },
  {
    provider: 'wooCommerce',
    object: 'customers',
    by: { email: ada },
    asks: 'GET /customers?per_page=100&page=1&orderby=id&order=asc&role=all&email=ada@example.com',
    answer: [{ id: 25, email: ada }],
    finds: ['25'],
  },
  {
    provider: 'wooCommerce',
    object: 'orders',
    by: { customer_id: '25', status: 'processing' },
    asks: 'GET /orders?per_page=100&page=1&orderby=id&order=asc&customer=25&status=processing',
    answer: [{ id: 1, customer_id: 25, status: 'processing' }],
    finds: ['1'],
  },
  {
    provider: 'xero',
    object: 'contacts',
    by: { EmailAddress: ada },
    asks: 'GET /api.xro/2.0/Contacts?page=1&pageSize=1000&order=ContactID ASC&includeArchived=true&searchTerm=ada@example.com',
    answer: {
      Contacts: [
        { ContactID: 'bd22', EmailAddress: ada },
        { ContactID: 'bd23', EmailAddress: '' },
      ],
      pagination: { pageCount: 1 },
    },
    finds: ['bd22'],
  },
  {
    provider: 'xero',
    object: 'invoices',
    by: { InvoiceNumber: 'INV-1' },
    asks: 'GET /api.xro/2.0/Invoices?page=1&pageSize=1000&order=InvoiceID ASC&includeArchived=true&InvoiceNumbers=INV-1',
    answer: { Invoices: [{ InvoiceID: '243', InvoiceNumber: 'INV-1' }], pagination: { pageCount: 1 } },
    finds: ['243'],
  },
  {
    provider: 'zohoBooks',
    object: 'contacts',
    by: { email: ada },
    asks: 'GET /contacts?organization_id=organizationId&page=1&per_page=200&sort_column=created_time&sort_order=A&filter_by=Status.All&email=ada@example.com',
    answer: { contacts: [{ contact_id: '46', email: ada }], page_context: { has_more_page: false } },
    finds: ['46'],
  },
  {
    provider: 'zohoBooks',
    object: 'invoices',
    by: { invoice_number: 'INV-1' },
    asks: 'GET /invoices?organization_id=organizationId&page=1&per_page=200&sort_column=created_time&sort_order=A&invoice_number=INV-1',
    answer: { invoices: [{ invoice_id: '98', invoice_number: 'INV-1' }], page_context: { has_more_page: false } },
    finds: ['98'],
  },
])
