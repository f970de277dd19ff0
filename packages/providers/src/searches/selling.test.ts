import { testSearches } from './search-cases.testkit.ts'

/** Searches of customers and sales, as the documentation of each provider shows them. */

const ada = 'ada@example.com'

testSearches([
  {
    provider: 'activeCampaign',
    object: 'contacts',
    by: { email: ada },
    asks: 'GET /api/3/contacts?limit=100&status=-1&orders[id]=ASC&email=ada@example.com',
    answer: { contacts: [{ id: '1', email: ada }] },
    finds: ['1'],
  },
  {
    provider: 'activeCampaign',
    object: 'deals',
    by: { title: 'Fifty', stage: '7' },
    asks: 'GET /api/3/deals?limit=100&offset=0&orders[cdate]=ASC&filters[title]=Fifty&filters[stage]=7',
    answer: {
      deals: [
        { id: '1', title: 'Fifty', stage: '7' },
        { id: '2', title: 'Fifty more', stage: '7' },
      ],
    },
    finds: ['1'],
  },
  {
    provider: 'apollo',
    object: 'contacts',
    by: { email: ada },
    asks: 'POST /api/v1/contacts/search {"q_keywords":"ada@example.com","page":1,"per_page":100,"sort_by_field":"contact_created_at","sort_ascending":true}',
    answer: {
      contacts: [
        { id: 'a', email: ada },
        { id: 'b', email: 'm.ada@example.com' },
      ],
    },
    finds: ['a'],
  },
  {
    provider: 'capsule',
    object: 'parties',
    by: { emailAddresses: ada },
    asks: 'POST /v2/parties/filters/results?perPage=100&embed=fields {"filter":{"conditions":[{"field":"email","operator":"is","value":"ada@example.com"}]}}',
    answer: { parties: [{ id: 11, emailAddresses: [{ address: ada }] }] },
    finds: ['11'],
  },
  {
    provider: 'close',
    object: 'opportunity',
    by: { lead_id: 'lead_1', status_id: 'stat_2' },
    asks: 'GET /api/v1/opportunity?_skip=0&_limit=100&_order_by=date_created&lead_id=lead_1&status_id=stat_2',
    answer: { data: [{ id: 'oppo_1', lead_id: 'lead_1', status_id: 'stat_2' }] },
    finds: ['oppo_1'],
  },
  {
    provider: 'copper',
    object: 'people',
    by: { emails: ada },
    asks: 'POST /v1/people/search {"emails":["ada@example.com"],"page_number":"1","page_size":200,"sort_by":"date_modified","sort_direction":"desc"}',
    answer: [{ id: 3, emails: [{ email: ada }] }],
    finds: ['3'],
  },
  {
    provider: 'copper',
    object: 'companies',
    by: { name: 'Demo' },
    asks: 'POST /v1/companies/search {"name":"Demo","page_number":"1","page_size":200,"sort_by":"date_modified","sort_direction":"desc"}',
    answer: [
      { id: 4, name: 'Demo' },
      { id: 5, name: 'Demo Ltd' },
    ],
    finds: ['4'],
  },
  {
    provider: 'devrev',
    object: 'rev-users',
    by: { email: ada },
    asks: 'GET /rev-users.list?limit=99&sort_by=modified_date:asc&email=ada@example.com',
    answer: { rev_users: [{ id: 'REVU-1', email: ada }] },
    finds: ['REVU-1'],
  },
  {
    provider: 'highLevelStandard',
    object: 'contacts',
    by: { email: ada },
    asks: 'POST /contacts/search {"locationId":"sample-locationid","pageLimit":500,"sort":[{"field":"dateAdded","direction":"asc"}],"filters":[{"field":"email","operator":"eq","value":"ada@example.com"}]}',
    answer: { contacts: [{ id: 'c1', email: ada }] },
    finds: ['c1'],
  },
  {
    provider: 'insightly',
    object: 'Contacts',
    by: { EMAIL_ADDRESS: ada },
    asks: 'GET /v3.1/Contacts/Search?top=500&skip=0&field_name=EMAIL_ADDRESS&field_value=ada@example.com',
    answer: [{ CONTACT_ID: 5, EMAIL_ADDRESS: ada }],
    finds: ['5'],
    anyField: true,
  },
  {
    provider: 'pipedrive',
    module: 'crm',
    object: 'deals',
    by: { person_id: '12', status: 'open' },
    asks: 'GET /api/v2/deals?limit=500&sort_by=id&person_id=12&status=open',
    answer: { data: [{ id: 9, person_id: 12, status: 'open' }] },
    finds: ['9'],
  },
  {
    provider: 'salesflare',
    object: 'contacts',
    by: { email: ada },
    asks: 'GET /contacts?limit=100&offset=0&includeArchived=true&email=ada@example.com',
    answer: [
      { id: 7, email: ada },
      { id: 8, email: 'xada@example.com' },
    ],
    finds: ['7'],
  },
  {
    provider: 'salesloft',
    object: 'people',
    by: { email_address: ada },
    asks: 'GET /v2/people?per_page=100&sort_by=created_at&sort_direction=asc&email_addresses[]=ada@example.com',
    answer: { data: [{ id: 7, email_address: ada }], metadata: { paging: {} } },
    finds: ['7'],
  },
  {
    provider: 'salesloft',
    object: 'accounts',
    by: { domain: 'example.com' },
    asks: 'GET /v2/accounts?per_page=100&sort_by=created_at&sort_direction=asc&domain=example.com',
    answer: { data: [{ id: 8, domain: 'example.com' }], metadata: { paging: {} } },
    finds: ['8'],
  },
  {
    provider: 'teamleader',
    object: 'contacts',
    by: { emails: ada },
    asks: 'POST /contacts.list {"page":{"size":100,"number":1},"filter":{"email":{"type":"primary","email":"ada@example.com"}},"includes":"custom_fields","sort":[{"field":"added_at","order":"asc"}]}',
    answer: { data: [{ id: 't1', emails: [{ type: 'primary', email: ada }] }] },
    finds: ['t1'],
  },
  {
    provider: 'teamleader',
    object: 'companies',
    by: { vat_number: 'BE0899' },
    asks: 'POST /companies.list {"page":{"size":100,"number":1},"filter":{"vat_number":"BE0899"},"includes":"custom_fields","sort":[{"field":"added_at","order":"asc"}]}',
    answer: {
      data: [
        { id: 't2', vat_number: 'BE0899' },
        { id: 't3', vat_number: null },
      ],
    },
    finds: ['t2'],
  },
  {
    provider: 'zendeskSell',
    object: 'leads',
    by: { email: ada, status: 'New' },
    asks: 'GET /v2/leads?per_page=100&sort_by=updated_at:desc&email=ada@example.com&status=New',
    answer: { items: [{ data: { id: 1, email: ada, status: 'New' } }], meta: { links: {} } },
    finds: ['1'],
  },
])
