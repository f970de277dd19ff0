import { testSearches } from './search-cases.testkit.ts'

/** Searches of mailing lists, as the documentation of each provider shows them. */

const ada = 'ada@example.com'

testSearches([
  {
    provider: 'brevo',
    object: 'deals',
    by: { "$['attributes']['deal_name']": 'Big' },
    asks: 'GET /v3/crm/deals?limit=50&offset=0&sort=asc&filters[attributes.deal_name]=Big',
    answer: {
      items: [
        { id: 'd1', attributes: { deal_name: 'Big' } },
        { id: 'd2', attributes: { deal_name: 'Bigger' } },
      ],
    },
    finds: ['d1'],
  },
  {
    provider: 'brevo',
    object: 'companies',
    by: { "$['attributes']['name']": 'Shop' },
    asks: 'GET /v3/companies?limit=50&sort=asc&page=1&filters[attributes.name]=Shop',
    answer: {
      items: [
        { id: 'c1', attributes: { name: 'Shop' } },
        { id: 'c2', attributes: { name: 'Shops' } },
      ],
    },
    finds: ['c1'],
  },
  {
    provider: 'brevo',
    object: 'emailCampaigns',
    by: { status: 'sent' },
    asks: 'GET /v3/emailCampaigns?limit=100&offset=0&sort=asc&status=sent',
    answer: { count: 1, campaigns: [{ id: 1, status: 'sent' }] },
    finds: ['1'],
  },
  {
    provider: 'constantContact',
    object: 'contacts',
    by: { "$['email_address']['address']": ada },
    asks: 'GET /v3/contacts?limit=500&status=all&include=custom_fields,list_memberships,phone_numbers,street_addresses,taggings,notes&email=ada@example.com',
    answer: { contacts: [{ contact_id: 'cc1', email_address: { address: ada } }] },
    finds: ['cc1'],
  },
  {
    provider: 'getResponse',
    object: 'contacts',
    by: { email: ada },
    asks: 'GET /v3/contacts?page=1&perPage=1000&sort[createdOn]=asc&query[email]=ada@example.com',
    answer: [
      { contactId: 'pV3r', email: ada },
      { contactId: 'pV4r', email: 'xada@example.com' },
    ],
    finds: ['pV3r'],
  },
  {
    provider: 'kit',
    object: 'subscribers',
    by: { email_address: ada },
    asks: 'GET /v4/subscribers?per_page=1000&status=all&email_address=ada@example.com',
    answer: { subscribers: [{ id: 2, email_address: ada }], pagination: { has_next_page: false } },
    finds: ['2'],
  },
  {
    provider: 'klaviyo',
    object: 'profiles',
    by: { email: ada },
    asks: 'GET /api/profiles?page[size]=100&filter=equals(email,"ada@example.com")',
    answer: { data: [{ type: 'profile', id: '01GD', attributes: { email: ada } }], links: { next: null } },
    finds: ['01GD'],
    written: ['equals(email,"ada@example.com")', 'equals(email,"it\'s \\"a\\"\\\\b*%_);(|&x=1,c^ORd#+")'],
  },
  {
    provider: 'livestorm',
    object: 'people',
    by: { email: ada },
    asks: 'GET /v1/people?page[number]=0&page[size]=50&filter[email]=ada@example.com',
    answer: { data: [{ id: 'lp1', attributes: { email: ada } }], meta: { page_count: 1 } },
    finds: ['lp1'],
  },
  {
    provider: 'mailchimp',
    object: 'members',
    by: { email_address: ada },
    asks: 'GET /search-members?query=ada@example.com',
    answer: {
      exact_matches: { members: [{ id: 'm1', list_id: 'l1', email_address: ada }] },
      full_search: { members: [] },
    },
    finds: ['l1/m1'],
  },
  {
    provider: 'mailchimp',
    object: 'campaigns',
    by: { status: 'sent' },
    asks: 'GET /campaigns?count=1000&offset=0&sort_field=create_time&sort_dir=ASC&status=sent',
    answer: { campaigns: [{ id: '42', status: 'sent' }], total_items: 1 },
    finds: ['42'],
  },
  {
    provider: 'mailerLite',
    object: 'groups',
    by: { name: 'Dummy' },
    asks: 'GET /groups?limit=100&page=1&filter[name]=Dummy',
    answer: {
      data: [
        { id: '1', name: 'Dummy' },
        { id: '2', name: 'Dummy 2' },
      ],
      meta: { last_page: 1 },
    },
    finds: ['1'],
  },
])
