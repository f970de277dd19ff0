import { testSearches } from './search-cases.testkit.ts'

/** Searches of support and service, as the documentation of each provider shows them. */

const ada = 'ada@example.com'

testSearches([
  {
    provider: 'aircall',
    object: 'contacts',
    by: { emails: ada },
    asks: 'GET /v1/contacts/search?per_page=50&order=asc&email=ada@example.com',
    answer: { contacts: [{ id: 3, emails: [{ value: ada }] }], meta: { next_page_link: null } },
    finds: ['3'],
  },
  {
    provider: 'freshdesk',
    object: 'contacts',
    by: { email: ada },
    asks: 'GET /api/v2/contacts?per_page=100&email=ada@example.com',
    answer: [{ id: 2, email: ada }],
    finds: ['2'],
  },
  {
    provider: 'freshdesk',
    object: 'tickets',
    by: { requester_id: '77' },
    asks: 'GET /api/v2/tickets?per_page=100&order_by=updated_at&order_type=asc&updated_since=1970-01-01T00:00:00Z&requester_id=77',
    answer: [{ id: 6, requester_id: 77 }],
    finds: ['6'],
  },
  {
    provider: 'helpScoutMailbox',
    object: 'customers',
    by: { firstName: 'Ada', lastName: 'Byron' },
    asks: 'GET /v2/customers?page=1&sortField=modifiedAt&sortOrder=desc&firstName=Ada&lastName=Byron',
    answer: {
      _embedded: {
        customers: [
          { id: 1, firstName: 'Ada', lastName: 'Byron' },
          { id: 2, firstName: 'Adam', lastName: 'Byron' },
        ],
      },
      page: { totalElements: 2, totalPages: 1 },
    },
    finds: ['1'],
  },
  {
    provider: 'housecallPro',
    object: 'customers',
    by: { email: ada },
    asks: 'GET /customers?page=1&page_size=200&sort_by=created_at&sort_direction=asc&q=ada@example.com',
    answer: {
      customers: [
        { id: 'cus_1', email: ada },
        { id: 'cus_2', email: null },
      ],
      total_items: 2,
      total_pages: 1,
    },
    finds: ['cus_1'],
  },
  {
    provider: 'pagerDuty',
    object: 'users',
    by: { email: ada },
    asks: 'GET /users?limit=100&offset=0&query=ada@example.com',
    answer: {
      users: [
        { id: 'P1', email: ada },
        { id: 'P2', email: 'xada@example.com' },
      ],
      more: false,
    },
    finds: ['P1'],
  },
  {
    provider: 'serviceNow',
    object: 'incident',
    by: { caller_id: '46d4', state: '3' },
    asks: 'GET /api/now/table/incident?sysparm_query=caller_id=46d4^state=3^ORDERBYsys_id&sysparm_limit=1000&sysparm_exclude_reference_link=true',
    answer: {
      result: [
        { sys_id: '9d38', caller_id: '46d4', state: '3' },
        { sys_id: '9d39', caller_id: '46d5', state: '3' },
      ],
    },
    finds: ['9d38'],
    written: [
      'caller_id=46d4^state=3',
      'caller_id=it\'s "a"\\b*%_);(|&x=1,c^^ORd#+^state=it\'s "a"\\b*%_);(|&x=1,c^^ORd#+',
    ],
    anyField: true,
  },
  {
    provider: 'zohoDesk',
    object: 'tickets',
    by: { subject: 'Printer', status: 'Open' },
    asks: 'GET /tickets/search?from=0&limit=100&sortBy=createdTime&subject=Printer&status=Open',
    answer: {
      data: [
        { id: '1', subject: 'Printer', status: 'Open' },
        { id: '2', subject: 'Printer is hot', status: 'Open' },
      ],
    },
    finds: ['1'],
  },
])
