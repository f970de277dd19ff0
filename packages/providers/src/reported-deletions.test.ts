import { expect, it } from 'vitest'
import type { SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from './testing/open-provider.testkit.ts'

/** How each provider is asked for deleted records, and what makes a record one. */

const since = new Date('2026-03-01T00:00:00Z')
const until = new Date('2026-03-02T00:00:00Z')

interface Case {
  object: string
  answer: (request: SeenRequest) => unknown
  requests: string[]
  /** Ids in their order; deleted ones with a minus. */
  ids: string[]
  metadata?: Record<string, string>
  module?: string
  fields?: string[]
}

const cases: Record<string, Case> = {
  shopify: {
    object: 'products',
    metadata: { workspace: 'acme' },
    answer: ({ body }) => {
      const nodes = body.includes('action:destroy')
        ? [{ action: 'destroy', createdAt: '2026-03-01T08:00:00Z', subjectId: 'gid://shopify/Product/2' }]
        : [{ id: 'gid://shopify/Product/1' }]
      const list = { nodes, pageInfo: { hasNextPage: false, endCursor: null } }
      return { data: { products: list, events: list } }
    },
    requests: [
      expect.stringContaining("updated_at:>='2026-03-01T00:00:00Z'") as string,
      expect.stringContaining(
        `"query":"action:destroy AND subject_type:PRODUCT AND created_at:>='2026-03-01T00:00:00Z' AND created_at:<='2026-03-02T00:00:00Z'"`,
      ) as string,
    ],
    ids: ['gid://shopify/Product/1', '-gid://shopify/Product/2'],
  },
  salesforce: {
    object: 'Contact',
    metadata: { workspace: 'acme' },
    answer: () => ({
      totalSize: 2,
      records: [
        { Id: 'a', IsDeleted: false },
        { Id: 'b', IsDeleted: true },
      ],
    }),
    requests: [
      'GET /services/data/v60.0/queryAll?q=SELECT Id,IsDeleted,Email FROM Contact WHERE SystemModstamp >= 2026-03-01T00:00:00Z AND SystemModstamp <= 2026-03-02T00:00:00Z',
    ],
    ids: ['a', '-b'],
    fields: ['Email'],
  },
  hubspot: {
    object: 'contacts',
    module: 'crm',
    answer: ({ method }) =>
      method === 'POST'
        ? { results: [{ id: '1', properties: {} }] }
        : {
            results: [
              { id: '2', archived: true, archivedAt: '2026-03-01T08:00:00.000Z' },
              { id: '3', archived: true, archivedAt: '2026-01-01T08:00:00.000Z' },
            ],
          },
    requests: [
      expect.stringMatching(/^POST \/crm\/v3\/objects\/contacts\/search /) as string,
      'GET /crm/v3/objects/contacts?limit=100&archived=true',
    ],
    ids: ['1', '-2'],
    fields: ['email'],
  },
  capsule: {
    object: 'parties',
    answer: ({ url }) => ({ parties: [url.pathname.endsWith('/deleted') ? { id: 2 } : { id: 1, fields: [] }] }),
    requests: [
      'GET /api/v2/parties?perPage=100&embed=fields&since=2026-02-28T23:59:59Z',
      'GET /api/v2/parties/deleted?perPage=100&since=2026-02-28T23:59:59Z',
    ],
    ids: ['1', '-2'],
  },
  lever: {
    object: 'opportunities',
    answer: ({ url }) => ({
      data: [url.pathname.endsWith('/deleted') ? { id: 'o2', deletedAt: 1_772_352_000_000 } : { id: 'o1' }],
      hasNext: false,
    }),
    requests: [
      'GET /v1/opportunities?limit=100&confidentiality=all&updated_at_start=1772323200000&updated_at_end=1772409600000',
      'GET /v1/opportunities/deleted?limit=100&deleted_at_start=1772323200000&deleted_at_end=1772409600000',
    ],
    ids: ['o1', '-o2'],
  },
  close: {
    object: 'lead',
    answer: ({ url }) =>
      url.pathname === '/api/v1/event'
        ? { data: [{ id: 'ev_1', object_id: 'lead_2', action: 'deleted' }], cursor_next: null }
        : { data: [{ id: 'lead_1', date_updated: '2026-03-01T08:00:00Z' }], has_more: false },
    requests: [
      'GET /api/v1/lead?_skip=0&_limit=100',
      'GET /api/v1/event?_limit=50&object_type=lead&action=deleted&date_updated__gte=2026-03-01T00:00:00.000Z&date_updated__lte=2026-03-02T00:00:00.000Z',
    ],
    ids: ['lead_1', '-lead_2'],
  },
  stripe: {
    object: 'customers',
    answer: ({ url }) => {
      if (url.pathname === '/v1/customers/cus_1') return { id: 'cus_1' }
      if (url.searchParams.get('type') === null)
        return { data: [{ id: 'evt_0', data: { object: { id: 'cus_1' } } }], has_more: false }
      const isFirst = url.searchParams.get('starting_after') === null
      return {
        data: [{ id: isFirst ? 'evt_1' : 'evt_2', data: { object: { id: isFirst ? 'cus_2' : 'cus_3' } } }],
        has_more: isFirst,
      }
    },
    requests: [
      'GET /v1/events?limit=100&created[gte]=1772323200&created[lte]=1772409600&types[]=customer.created&types[]=customer.updated',
      'GET /v1/customers/cus_1',
      'GET /v1/events?limit=100&type=customer.deleted&created[gte]=1772323200&created[lte]=1772409600',
      'GET /v1/events?limit=100&starting_after=evt_1&type=customer.deleted&created[gte]=1772323200&created[lte]=1772409600',
    ],
    ids: ['cus_1', '-cus_2', '-cus_3'],
  },
  zendeskSupport: {
    object: 'tickets',
    metadata: { workspace: 'acme' },
    answer: ({ url }) =>
      url.pathname.includes('ticket_fields')
        ? { ticket_fields: [] }
        : {
            tickets: [
              { id: 1, status: 'open' },
              { id: 2, status: 'deleted' },
            ],
            end_of_stream: true,
          },
    requests: ['GET /api/v2/incremental/tickets/cursor?per_page=2000&start_time=1772323110'],
    ids: ['1', '-2'],
  },
  pipedrive: {
    object: 'deals',
    module: 'crm',
    answer: ({ url }) => ({
      data: url.pathname.endsWith('/archived')
        ? [{ id: 3, status: 'lost', is_archived: true }]
        : [
            { id: 1, status: 'won' },
            { id: 2, status: 'deleted' },
          ],
      additional_data: {},
    }),
    requests: ['deals', 'deals/archived'].map(
      (list) =>
        `GET /api/v2/${list}?limit=500&sort_by=id&updated_since=2026-03-01T00:00:00Z&updated_until=2026-03-02T00:00:00Z&status=open,won,lost,deleted`,
    ),
    ids: ['1', '-2', '3'],
  },
  wordPressSelfHosted: {
    object: 'posts',
    metadata: { siteUrl: 'https://blog.example.com' },
    answer: ({ url }) => [
      { id: url.searchParams.get('status') === 'trash' ? 2 : 1, modified_gmt: '2026-03-01T08:00:00' },
    ],
    requests: [
      'GET /wp-json/wp/v2/posts?context=edit&per_page=100&page=1&orderby=id&order=asc&modified_after=2026-02-28T23:59:59Z&status=any',
      'GET /wp-json/wp/v2/posts?context=edit&per_page=100&page=1&orderby=id&order=asc&modified_after=2026-02-28T23:59:59Z&status=trash',
    ],
    ids: ['1', '-2'],
  },
  square: {
    object: 'catalog',
    answer: () => ({ objects: [{ id: 'a' }, { id: 'b', is_deleted: true }] }),
    requests: [expect.stringMatching(/^POST \/v2\/catalog\/search .*"include_deleted_objects":true/) as string],
    ids: ['a', '-b'],
  },
  copper: {
    object: 'activities',
    metadata: { userEmail: 'ada@example.com' },
    answer: () => [
      { id: 'a', type: { id: 0, category: 'user' } },
      { id: 'b', is_deleted: true },
    ],
    requests: [
      expect.stringMatching(/^POST \/developer_api\/v1\/activities\/search .*"minimum_activity_date":/) as string,
    ],
    ids: ['a', '-b'],
  },
  chargebee: {
    object: 'customers',
    metadata: { workspace: 'acme' },
    answer: () => ({ list: [{ customer: { id: 'a', deleted: false } }, { customer: { id: 'b', deleted: true } }] }),
    requests: [expect.stringContaining('include_deleted=true') as string],
    ids: ['a', '-b'],
  },
  constantContact: {
    object: 'contacts',
    answer: () => ({ contacts: [{ contact_id: 'a' }, { contact_id: 'b', deleted_at: '2026-03-01T08:00:00Z' }] }),
    requests: [expect.stringContaining('status=all') as string],
    ids: ['a', '-b'],
    fields: ['first_name'],
  },
  serviceNow: {
    object: 'incident',
    metadata: { workspace: 'acme' },
    answer: ({ url }) => ({
      result: url.pathname.endsWith('/sys_audit_delete')
        ? [
            { sys_id: 'x', documentkey: 'b', sys_created_on: '2026-03-01 08:00:00' },
            { sys_id: 'y', documentkey: 'c', sys_created_on: '2026-02-01 08:00:00' },
          ]
        : [{ sys_id: 'a', sys_updated_on: '2026-03-01 08:00:00' }],
    }),
    requests: [
      expect.stringContaining('/api/now/table/incident?') as string,
      'GET /api/now/table/sys_audit_delete?sysparm_query=tablename=incident^sys_created_on>=2026-02-28 00:00:00^ORDERBYsys_id&sysparm_limit=1000&sysparm_exclude_reference_link=true',
    ],
    ids: ['a', '-b'],
  },
  docusign: {
    object: 'envelopes',
    metadata: { server: 'na2', accountId: 'a' },
    answer: () => ({
      envelopes: [
        { envelopeId: 'a', status: 'sent' },
        { envelopeId: 'b', status: 'deleted' },
      ],
    }),
    requests: [expect.stringContaining('from_to_status=changed') as string],
    ids: ['a', '-b'],
  },
  linear: {
    object: 'issues',
    answer: () => ({
      data: {
        issues: {
          nodes: [
            { id: 'a', trashed: null },
            { id: 'b', trashed: true },
          ],
          pageInfo: { hasNextPage: false },
        },
      },
    }),
    requests: [expect.stringContaining('includeArchived: true') as string],
    ids: ['a', '-b'],
  },
  wooCommerce: {
    object: 'orders',
    metadata: { baseUrl: 'https://shop.example.com' },
    answer: ({ url }) => [{ id: url.searchParams.get('status') === 'trash' ? 2 : 1 }],
    requests: [
      expect.not.stringContaining('status=trash') as string,
      expect.stringContaining('status=trash') as string,
    ],
    ids: ['1', '-2'],
  },
}

it.each(Object.entries(cases))(
  '%s',
  async (name, { object, answer, requests, ids, fields = ['id'], ...connection }) => {
    await using provider = await openProvider(
      name,
      (request) => ({ headers: { 'X-WP-TotalPages': '1' }, body: answer(request) }),
      {
        ...connection,
        metadata: connection.metadata ?? {},
        now: () => until.getTime(),
      },
    )
    const found = (
      await readAll(provider.connector, {
        ...{ object, fields, since, until, deletions: true },
      })
    ).map(({ id, deleted }) => `${deleted ? '-' : ''}${id}`)
    expect(found).toEqual(ids)
    expect(asked(provider.seen)).toEqual(requests)
  },
)

it('a deleted activity of Copper, of which a stub remains, is not found', async () => {
  const stub = () => ({ body: { id: 7, is_deleted: true } })
  await using provider = await openProvider('copper', stub, { metadata: { userEmail: 'ada@example.com' } })
  expect(await provider.connector.fetchRecord('activities', '7', ['details'])).toBeUndefined()
})

it('a read of HubSpot that begins more than 90 days ago may miss deletions', async () => {
  const now = () => until.getTime()
  await using provider = await openProvider('hubspot', () => ({ body: { results: [] } }), { module: 'crm', now })
  const missedOf = async (days: number) => {
    const found: unknown[] = []
    const read = { object: 'contacts', fields: ['email'], until, deletions: true }
    for (let page: string | undefined; ; ) {
      const since = new Date(until.getTime() - days * 86_400_000)
      const answer = await provider.connector.readPage({ ...read, since, ...(page !== undefined && { page }) })
      found.push(answer.missedDeletions)
      page = answer.nextPage
      if (page === undefined) return found.filter((one) => one !== undefined)
    }
  }
  expect(await missedOf(80)).toEqual([])
  expect(await missedOf(100)).toEqual(['HubSpot reports deletions of the last 90 days only.'])
})
