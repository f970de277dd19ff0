import { expect, it } from 'vitest'
import type { ReadPage } from '../connector.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What Adobe’s documentation of the REST API shows as answers, as far as the provider file relies on it. */

const options = { metadata: { workspace: '123-ABC-456' } }

function marketo({ url }: SeenRequest): Answer {
  const isLast = url.searchParams.get('nextPageToken') === 'T2' || url.searchParams.get('offset') === '200'
  if (url.pathname === '/rest/v1/lists.json') {
    return { body: { success: true, result: [{ id: isLast ? 2 : 1 }], ...(!isLast && { nextPageToken: 'T2' }) } }
  }
  if (isLast) return { body: { success: true, warnings: ['No assets found for the given search criteria.'] } }
  return { body: { success: true, result: Array.from({ length: 200 }, (_, id) => ({ id })) } }
}

it('lists are read by tokens, and assets by offsets until there are none', async () => {
  await using provider = await openProvider('marketo', marketo, options)
  const { connector } = provider
  for (const object of ['lists', 'programs']) {
    const first = await connector.readPage({ object, fields: ['id'] })
    const last = await connector.readPage({ object, fields: ['id'], page: first.nextPage ?? '' })
    expect(last.nextPage).toBeUndefined()
  }
  expect(asked(provider.seen)).toEqual([
    'GET /rest/v1/lists.json?batchSize=300',
    'GET /rest/v1/lists.json?batchSize=300&nextPageToken=T2',
    'GET /rest/asset/v1/programs.json?maxReturn=200&offset=0',
    'GET /rest/asset/v1/programs.json?maxReturn=200&offset=200',
  ])
})

const token = (name: string) => ({ success: true, requestId: 'r', nextPageToken: name })

/** Activities need a token, which stands for a time, and the types that are wanted. */
function activities({ url }: SeenRequest): Answer {
  const asks = url.searchParams
  if (url.pathname === '/rest/v1/activities/types.json')
    return { body: { success: true, result: [{ id: 1 }, { id: 6 }] } }
  if (url.pathname === '/rest/v1/activities/pagingtoken.json')
    return { body: asks.get('sinceDatetime') === '2025-12-31T23:59:59Z' ? token('T1') : { success: false } }
  if (url.pathname !== '/rest/v1/activities.json') return { status: 404 }
  const type = asks.get('activityTypeIds')
  const at = asks.get('nextPageToken')
  if (type === '6') return { body: { ...token('T2'), moreResult: false } }
  const found = [{ marketoGUID: at === 'T1' ? 'a1' : 'a2', activityTypeId: 1 }]
  return { body: { ...token(at === 'T1' ? 'T2' : 'T3'), result: found, moreResult: at === 'T1' } }
}

it('activities of every type are read from the token of a time on', async () => {
  await using provider = await openProvider('marketo', activities, options)
  const since = new Date('2026-01-01T00:00:00Z')
  const records = await readAll(provider.connector, { object: 'activities', fields: ['activityTypeId'], since })
  expect(records.map(({ id }) => id)).toEqual(['a1', 'a2'])
  expect(asked(provider.seen).filter((line) => line.includes('activities.json'))).toEqual([
    'GET /rest/v1/activities.json?activityTypeIds=1&nextPageToken=T1',
    'GET /rest/v1/activities.json?activityTypeIds=1&nextPageToken=T2',
    'GET /rest/v1/activities.json?activityTypeIds=6&nextPageToken=T1',
  ])
})

it('the leads of every static list are read', async () => {
  const leads = ({ url }: SeenRequest): Answer => {
    if (url.pathname === '/rest/v1/lists.json') return { body: { success: true, result: [{ id: 8 }, { id: 9 }] } }
    if (url.pathname === '/rest/v1/lists/8/leads.json') return { body: { success: true, result: [{ id: 1 }] } }
    return { body: { success: true } }
  }
  await using provider = await openProvider('marketo', leads, options)
  const records = await readAll(provider.connector, { object: 'listMembers', fields: ['email'] })
  expect(records.map(({ id }) => id)).toEqual(['8/1'])
  expect(asked(provider.seen)[1]).toBe('GET /rest/v1/lists/8/leads.json?batchSize=300&fields=id,updatedAt,email')
})

it('fields of list members that have no room in a URL are requested by the ids of the leads', async () => {
  const names = Array.from({ length: 150 }, (_, at) => `customFieldWithALongApiNameOfMarketo_${at}`)
  const leads = ({ url }: SeenRequest): Answer => {
    expect(url.href.length).toBeLessThan(8_000)
    if (url.pathname === '/rest/v1/lists.json') return { body: { success: true, result: [{ id: 8 }, { id: 9 }] } }
    const fields = url.searchParams.get('fields')?.split(',') ?? []
    const asked = url.searchParams.get('filterValues')?.split(',').map(Number)
    const lead = (id: number) => ({
      ...Object.fromEntries(fields.map((name) => [name, name])),
      ...{ id, updatedAt: '2026-01-01T00:00:00Z' },
    })
    return { body: { success: true, result: (asked ?? [100_001, 100_002]).map(lead) } }
  }
  await using provider = await openProvider('marketo', leads, options)
  const records = await readAll(provider.connector, { object: 'listMembers', fields: names })
  expect(records.map(({ id }) => id)).toEqual(['8/100001', '8/100002', '9/100001', '9/100002'])
  for (const { raw } of records) expect(Object.keys(raw)).toEqual(expect.arrayContaining([...names, 'list_id']))
  // Members of both lists may be in one page, and then need one request.
  expect(asked(provider.seen)).toContainEqual(expect.stringContaining('filterType=id&filterValues=100001,100002'))
})

it.each([
  ['602', 'auth_invalidated'],
  ['606', 'rate_limited'],
  ['1006', 'bad_request'],
])('the error %s is %s, though its status is 200', async (code, errorClass) => {
  const body = { success: false, errors: [{ code, message: 'No.' }] }
  await using provider = await openProvider('marketo', () => ({ body }), options)
  const read = provider.connector.readPage({ object: 'lists', fields: ['id'] })
  await expect(read).rejects.toMatchObject({ class: errorClass, providerMessage: 'No.' })
})

it('a record that is skipped was not written', async () => {
  const skipped = { status: 'skipped', reasons: [{ code: '1005', message: 'Lead already exists' }] }
  const body = { success: true, result: [skipped] }
  await using provider = await openProvider('marketo', () => ({ body }), options)
  const written = provider.connector.write({ object: 'leads', type: 'create', record: { email: 'a@x' } })
  await expect(written).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'Lead already exists' })
})

it('several records are written with one request, each with its result', async () => {
  const skipped = { status: 'skipped', reasons: [{ code: '1007', message: 'Multiple lead match lookup criteria' }] }
  const body = { success: true, result: [{ id: 7, status: 'created' }, skipped] }
  await using provider = await openProvider('marketo', () => ({ body }), options)
  const items = [{ record: { email: 'a@x' } }, { record: { email: 'b@x' } }]
  const written = await provider.connector.writeBatch({ object: 'leads', type: 'create', items, allOrNone: false })
  expect(written).toMatchObject({ status: 'partial', successCount: 1, failureCount: 1 })
  expect(written.results).toMatchObject([{ success: true, recordId: '7' }, { success: false }])
})

it.each(['emails', 'redirectRules', 'staticLists'])('%s that changed are asked for', async (object) => {
  await using provider = await openProvider('marketo', () => ({ body: { success: true, result: [] } }), options)
  await provider.connector.readPage({ object, fields: ['id'], since: new Date('2026-01-01T00:00:00Z') })
  expect(provider.seen[0]?.url.searchParams.get('earliestUpdatedAt')).toBe('2026-01-01T00:00:00Z')
})

it('an opportunity is created without a key to compare by, and read by its id', async () => {
  const found = { marketoGUID: 'o1', name: 'Chairs' }
  const answer = () => ({ body: { success: true, result: [{ ...found, status: 'created' }] } })
  await using provider = await openProvider('marketo', answer, options)
  const { connector, seen } = provider
  const record = { externalOpportunityId: 'x1' }
  await connector.write({ object: 'opportunities', type: 'create', record })
  await connector.writeBatch({ object: 'opportunities', type: 'create', items: [{ record }], allOrNone: false })
  await connector.fetchRecord('opportunities', 'o1', ['name'])
  await connector.fetchRecord('companies', '7', ['company'])
  const created = 'POST /rest/v1/opportunities.json {"action":"createOnly","input":[{"externalOpportunityId":"x1"}]}'
  expect(asked(seen)).toEqual([
    created,
    created,
    'GET /rest/v1/opportunities.json?filterType=marketoGUID&filterValues=o1&fields=name',
    'GET /rest/v1/companies.json?filterType=id&filterValues=7&fields=company',
  ])
})

/** A job is created, started and polled; its file has the leads of its time. */
function bulk() {
  const jobs: { startAt: string; polls: number; isStarted: boolean }[] = []
  return ({ method, url, body }: SeenRequest): Answer => {
    if (url.pathname === '/rest/v1/leads/describe.json') {
      const field = (name: string, dataType: string) => ({
        displayName: name,
        dataType,
        rest: { name, readOnly: false },
      })
      const result = [field('id', 'integer'), field('email', 'email'), field('isOpen', 'boolean')]
      return { body: { success: true, result } }
    }
    if (url.pathname === '/bulk/v1/leads/export/create.json') {
      const { filter } = JSON.parse(body) as { filter: { updatedAt: { startAt: string } } }
      jobs.push({ startAt: filter.updatedAt.startAt, polls: 0, isStarted: false })
      return { body: { success: true, result: [{ exportId: String(jobs.length - 1), status: 'Created' }] } }
    }
    const [, id = '', action] = /export\/(\d)\/(\w+)\.json$/.exec(url.pathname) ?? []
    const job = jobs[Number(id)]
    if (job === undefined) return { status: 404 }
    const result = (status: string) => ({ body: { success: true, result: [{ exportId: id, status }] } })
    if (action === 'enqueue' && method === 'POST') {
      job.isStarted = true
      return result('Queued')
    }
    if (action === 'status') return result(!job.isStarted ? 'Created' : job.polls++ === 0 ? 'Processing' : 'Completed')
    if (action === 'file') return { body: `id,email,isOpen\n1${id}1,null,true\n1${id}2,b@example.com,null\n` }
    return { status: 404 }
  }
}

/** Deleted leads need a token, which stands for a time. */
function deletedLeads({ url }: SeenRequest): Answer | undefined {
  const asks = url.searchParams
  if (url.pathname === '/rest/v1/activities/pagingtoken.json') return { body: token(asks.get('sinceDatetime') ?? '') }
  if (url.pathname !== '/rest/v1/activities/deletedleads.json') return undefined
  const at = asks.get('nextPageToken') ?? ''
  const result = [{ id: 2, marketoGUID: '2', leadId: at === 'D2' ? 9 : 6, activityTypeId: 37 }]
  return { body: { ...token(at === 'D2' ? 'D3' : 'D2'), result, moreResult: at !== 'D2' } }
}

it.each([
  ['', '2026-02-20T00:00:00Z', '2026-02-10T00:00:00Z', '2026-02-09T23:59:59Z', undefined],
  [
    ', those of the last 14 days where the window begins earlier',
    '2026-03-20T00:00:00Z',
    '2026-01-01T00:00:00Z',
    '2026-03-06T00:59:59Z',
    'Marketo reports deletions of the last 14 days only.',
  ],
])('deleted leads follow the jobs of changed ones%s', async (_, until, since, from, missedDeletions) => {
  const answers = bulk()
  const server = (request: SeenRequest) => deletedLeads(request) ?? answers(request)
  await using provider = await openProvider('marketo', server, { ...options, now: () => Date.parse(until) })
  const window = { since: new Date(since), until: new Date(until) }
  const pages: ReadPage[] = []
  let page: string | undefined
  do {
    const request = { object: 'leads', fields: ['email'], jobs: true, deletions: true, ...window }
    pages.push(await provider.connector.readPage({ ...request, ...(page && { page }) }))
    page = pages.at(-1)?.nextPage
  } while (page !== undefined && pages.length < 30)
  const records = pages.flatMap((found) => found.records)
  expect(records.filter(({ deleted }) => deleted !== true).length).toBeGreaterThanOrEqual(2)
  expect(records.filter(({ deleted }) => deleted === true).map(({ id }) => id)).toEqual(['6', '9'])
  expect(records.at(-1)?.id).toBe('9')
  expect(pages.at(-1)?.missedDeletions).toBe(missedDeletions)
  expect(asked(provider.seen).filter((line) => line.includes('/activities/'))).toEqual([
    `GET /rest/v1/activities/pagingtoken.json?sinceDatetime=${from}`,
    `GET /rest/v1/activities/deletedleads.json?nextPageToken=${from}`,
    'GET /rest/v1/activities/deletedleads.json?nextPageToken=D2',
  ])
})

it('without deletions, the read ends with the last job', async () => {
  await using provider = await openProvider('marketo', bulk(), options)
  const request = { object: 'leads', fields: ['email'], jobs: true, since: new Date(Date.now() - 60_000) }
  let page: string | undefined
  do {
    page = (await provider.connector.readPage({ ...request, ...(page && { page }) })).nextPage
  } while (page !== undefined)
  expect(asked(provider.seen).at(-1)).toMatch('/export/0/file.json')
})

it('leads are exported by jobs of 31 days, each of which is created and then started', async () => {
  await using provider = await openProvider('marketo', bulk(), options)
  const { connector, seen } = provider
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-02-20T00:00:00Z') }
  const pages: ReadPage[] = []
  let page: string | undefined
  do {
    const request = { object: 'leads', fields: ['email', 'isOpen'], jobs: true, ...window, ...(page && { page }) }
    pages.push(await connector.readPage(request))
    page = pages.at(-1)?.nextPage
  } while (page !== undefined && pages.length < 20)
  expect(pages.flatMap(({ records }) => records.map(({ id, fields }) => [id, fields]))).toEqual([
    ['101', { email: null, isopen: true }],
    ['102', { email: 'b@example.com', isopen: null }],
    ['111', { email: null, isopen: true }],
    ['112', { email: 'b@example.com', isopen: null }],
  ])
  expect(pages.filter(({ waitMs }) => waitMs === 60_000)).toHaveLength(4)
  const bodies = seen.filter(({ url }) => url.pathname.endsWith('create.json')).map(({ body }) => JSON.parse(body))
  const job = { fields: ['email', 'isOpen', 'id'], format: 'CSV' }
  expect(bodies.map(({ fields, ...rest }) => ({ ...rest, fields: fields.toSorted() }))).toEqual([
    {
      ...job,
      fields: job.fields.toSorted(),
      filter: { updatedAt: { startAt: '2025-12-31T23:59:59Z', endAt: '2026-01-31T23:59:58Z' } },
    },
    {
      ...job,
      fields: job.fields.toSorted(),
      filter: { updatedAt: { startAt: '2026-01-31T23:59:58Z', endAt: '2026-02-20T00:00:00Z' } },
    },
  ])
})

it('a job that cannot be started is canceled, and the read waits', async () => {
  const refused = { body: { success: false, errors: [{ code: '1029', message: 'Export daily quota exceeded' }] } }
  const answers = bulk()
  const server = (request: SeenRequest) => (request.url.pathname.endsWith('enqueue.json') ? refused : answers(request))
  await using provider = await openProvider('marketo', server, options)
  const request = { object: 'leads', fields: ['email'], jobs: true, since: new Date(Date.now() - 60_000) }
  await expect(provider.connector.readPage(request)).rejects.toMatchObject({ class: 'rate_limited' })
  expect(asked(provider.seen).at(-1)).toMatch('POST /bulk/v1/leads/export/0/cancel.json')
})
