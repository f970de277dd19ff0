import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What apidocs.acculynx.com/reference shows as responses, as far as the provider file relies on it. */

const jobs = Array.from({ length: 26 }, (_, index) => ({ id: `job-${index}` }))

function accuLynx({ url }: SeenRequest): Answer {
  const from = Number(url.searchParams.get('recordStartIndex') ?? url.searchParams.get('pageStartIndex') ?? 0)
  const size = Number(url.searchParams.get('pageSize'))
  const list = (all: readonly object[]) => ({ body: { count: all.length, items: all.slice(from, from + size) } })
  switch (url.pathname) {
    case '/api/v2/jobs':
      return list(jobs)
    case '/api/v2/jobs/job-25/invoices':
      return list([{ id: 'inv-1' }, { id: 'inv-2' }, { id: 'inv-3' }])
    case '/api/v2/jobs/job-1':
      return { body: { id: 'job-1', jobName: 'Roof' } }
    case '/api/v2/jobs/job-2':
      return { status: 500, body: { detail: 'boom' } }
  }
  return url.pathname.endsWith('/invoices') ? list([]) : { status: 404, body: { title: 'NotFound', status: 404 } }
}

it('jobs are read to the last page', async () => {
  await using provider = await openProvider('accuLynx', accuLynx)
  const request = { object: 'jobs', fields: [] }
  const first = await provider.connector.readPage(request)
  expect(first).toMatchObject({ total: 26, records: { length: 25 } })
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last).toMatchObject({ records: [{ id: 'job-25' }], nextPage: undefined })
  expect(asked(provider.seen)).toEqual([
    'GET /api/v2/jobs?pageSize=25&recordStartIndex=0&includes=initialAppointment,contacts',
    'GET /api/v2/jobs?pageSize=25&recordStartIndex=25&includes=initialAppointment,contacts',
  ])
})

it('invoices of every job are read', async () => {
  await using provider = await openProvider('accuLynx', accuLynx)
  const found = (
    await readAll(provider.connector, {
      object: 'jobs/invoices',
      fields: ['jobId'],
    })
  ).map(({ id, raw }) => [id, raw['jobId']])
  expect(found).toEqual(['inv-1', 'inv-2', 'inv-3'].map((id) => [id, 'job-25']))
})

it('records are read by id: a missing one is left out, an error is thrown', async () => {
  await using provider = await openProvider('accuLynx', accuLynx)
  const found = await provider.connector.fetchRecords('jobs', ['job-1', 'missing'], ['jobName'])
  expect([...found]).toMatchObject([['job-1', { raw: { jobName: 'Roof' } }]])
  await expect(provider.connector.fetchRecords('jobs', ['job-2'], ['jobName'])).rejects.toMatchObject({
    class: 'provider_5xx',
    providerMessage: 'boom',
  })
})

it('names of several parts are several segments of a path', async () => {
  await using provider = await openProvider('accuLynx', ({ method }) =>
    method === 'GET' ? { body: { items: [] } } : { status: 201, body: { id: 'p1' } },
  )
  const { connector } = provider
  await connector.readPage({ object: 'company-settings/leads/lead-sources', fields: [] })
  const record = { jobId: 'job-1', amount: 2 }
  expect(await connector.write({ object: 'jobs/payments/paid', type: 'create', record })).toMatchObject({
    recordId: 'p1',
  })
  expect(asked(provider.seen)).toEqual([
    'GET /api/v2/company-settings/leads/lead-sources?pageSize=25&recordStartIndex=0',
    'POST /api/v2/jobs/job-1/payments/paid {"amount":2}',
  ])
})

it('a page after the last record is empty', async () => {
  await using provider = await openProvider('accuLynx', ({ url }) =>
    url.searchParams.get('recordStartIndex') === '0'
      ? { body: { count: 25, items: jobs.slice(0, 25) } }
      : { status: 416, body: { title: 'Range Not Satisfiable', status: 416 } },
  )
  const first = await provider.connector.readPage({ object: 'jobs', fields: [] })
  const last = await provider.connector.readPage({ object: 'jobs', fields: [], page: first.nextPage ?? '' })
  expect(last).toMatchObject({ records: [], nextPage: undefined })
})

it.each(['jobs', 'jobs/unassigned', 'jobs/dead'])(
  '%s that changed are read in the order of creation',
  async (object) => {
    await using provider = await openProvider('accuLynx', accuLynx)
    const since = new Date('2026-01-02T10:00:00Z')
    await provider.connector.readPage({ object, fields: [], since, until: new Date('2026-01-03T10:00:00Z') })
    const asked = Object.fromEntries(provider.seen[0]?.url.searchParams ?? [])
    expect(asked).toMatchObject({ dateFilterType: 'ModifiedDate', startDate: '2026-01-01', endDate: '2026-01-03' })
    expect(asked).not.toHaveProperty('sortBy')
  },
)

it('a list of jobs that reaches the limit of AccuLynx is not taken for all of them', async () => {
  // Longer pages than those of AccuLynx, so that there are fewer.
  const full = ({ url }: SeenRequest): Answer => {
    const from = Number(url.searchParams.get('recordStartIndex'))
    const items = Array.from({ length: 25_000 }, (_, index) => ({ id: from + index }))
    return from < 100_000 ? { body: { count: 200_000, items } } : { status: 416 }
  }
  await using provider = await openProvider('accuLynx', full)
  const all = readAll(provider.connector, { object: 'jobs', fields: [] })
  await expect(all).rejects.toMatchObject({ class: 'list_truncated' })
})

it('sections of estimates are asked for with their items', async () => {
  await using provider = await openProvider('accuLynx', ({ url }) => ({
    body: { items: [{ id: url.pathname.endsWith('/sections') ? 's-1' : 'e-1' }] },
  }))
  const { connector, seen } = provider
  const found = await readAll(connector, { object: 'estimates/sections', fields: ['items'] })
  expect(found.map(({ id }) => id)).toEqual(['s-1'])
  expect(asked(seen).at(-1)).toBe('GET /api/v2/estimates/e-1/sections?includes=createdBy,modifiedBy,items')
})

it('estimates have the values of their own request, which the list lacks', async () => {
  const list = { body: { count: 2, items: [{ id: 'e-1', isPrimary: true }, { id: 'deleted' }] } }
  await using provider = await openProvider('accuLynx', ({ url }) => {
    if (url.pathname === '/api/v2/estimates') return list
    return url.pathname.endsWith('/e-1') ? { body: { id: 'e-1', title: 'Roof' } } : { status: 404, body: {} }
  })
  const { connector, seen } = provider
  const found = await readAll(connector, { object: 'estimates', fields: ['title'] })
  expect(found).toMatchObject([{ id: 'e-1', fields: { title: 'Roof' }, raw: { isPrimary: true } }])
  expect(asked(seen)).toContain('GET /api/v2/estimates/e-1?includes=createdBy,modifiedBy,sections')
})
