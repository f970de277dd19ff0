import { testSearches } from './search-cases.testkit.ts'

/** Searches of calendars, files and other work, as the documentation of each provider shows them. */

const ada = 'ada@example.com'

testSearches([
  {
    provider: 'acuityScheduling',
    object: 'appointments',
    by: { email: ada },
    asks: 'GET /api/v1/appointments?max=1000000&showall=true&direction=ASC&email=ada@example.com',
    answer: [{ id: 54, email: ada }],
    finds: ['54'],
  },
  {
    provider: 'calendly',
    object: 'organization_memberships',
    by: { "$['user']['email']": ada },
    asks: 'GET /organization_memberships?organization=OrganizationURI&count=100&email=ada@example.com',
    answer: {
      collection: [{ uri: 'https://api.calendly.com/organization_memberships/A', user: { email: ada } }],
      pagination: {},
    },
    finds: ['https://api.calendly.com/organization_memberships/A'],
  },
  {
    provider: 'googleDrive',
    object: 'files',
    by: { name: 'Plan' },
    asks: "GET /files?pageSize=1000&q=name = 'Plan'&fields=nextPageToken,incompleteSearch,files(id)&includeItemsFromAllDrives=true&supportsAllDrives=true",
    answer: { files: [{ id: 'f1', name: 'Plan' }] },
    finds: ['f1'],
    written: ["name = 'Plan'", "name = 'it\\'s \"a\"\\\\b*%_);(|&x=1,c^ORd#+'"],
  },
  {
    provider: 'microsoft',
    object: 'users',
    by: { mail: ada },
    asks: "GET /v1.0/users?$top=999&$select=id&$filter=mail eq 'ada@example.com'",
    answer: { value: [{ id: 'u1', mail: ada }] },
    finds: ['u1'],
    written: ["mail eq 'ada@example.com'", "mail eq 'it''s \"a\"\\b*%_);(|&x=1,c^ORd#+'"],
  },
  {
    provider: 'miro',
    object: 'boards',
    by: { name: 'Roadmap' },
    asks: 'GET /v2/boards?limit=50&offset=0&query=Roadmap',
    answer: {
      data: [
        { id: 'b1', name: 'Roadmap' },
        { id: 'b2', name: 'Old Roadmap' },
      ],
      total: 2,
    },
    finds: ['b1'],
  },
  {
    provider: 'monday',
    object: 'users',
    by: { email: ada },
    asks: 'POST /v2 {"query":"query ($limit: Int!, $page: Int!, $emails: [String]) { users (limit: $limit, page: $page, emails: $emails) { id name email enabled is_admin is_guest is_pending is_verified is_view_only title phone mobile_phone location birthday country_code created_at join_date last_activity photo_original time_zone_identifier url teams { id name } } complexity { after query reset_in_x_seconds } }","variables":{"limit":100,"page":1,"emails":["ada@example.com"]}}',
    answer: { data: { users: [{ id: '4', email: ada }] } },
    finds: ['4'],
  },
  {
    provider: 'surveyMonkey',
    object: 'surveys',
    by: { title: 'Lunch' },
    asks: 'GET /v3/surveys?page=1&per_page=1000&include=response_count,date_created,date_modified,language,question_count,analyze_url,preview&title=Lunch',
    answer: {
      data: [
        { id: '1', title: 'Lunch' },
        { id: '2', title: 'Late Lunch' },
      ],
      links: {},
    },
    finds: ['1'],
  },
  {
    provider: 'twilio',
    object: 'accounts',
    by: { friendly_name: 'Shop' },
    asks: 'GET /Accounts.json?PageSize=1000&FriendlyName=Shop',
    answer: { accounts: [{ sid: 'AC1', friendly_name: 'Shop' }], next_page_uri: null },
    finds: ['AC1'],
  },
  {
    provider: 'typeform',
    object: 'forms',
    by: { title: 'Intake' },
    asks: 'GET /forms?page=1&page_size=200&sort_by=created_at&order_by=asc&search=Intake',
    answer: {
      items: [
        { id: 'u6n', title: 'Intake' },
        { id: 'u7n', title: 'Intake 2' },
      ],
      page_count: 1,
    },
    finds: ['u6n'],
  },
  {
    provider: 'wordPressSelfHosted',
    object: 'posts',
    by: { slug: 'hello-world' },
    asks: 'GET /posts?context=edit&per_page=100&page=1&orderby=id&order=asc&status=any&slug=hello-world',
    answer: [{ id: 1, slug: 'hello-world' }],
    finds: ['1'],
  },
])
