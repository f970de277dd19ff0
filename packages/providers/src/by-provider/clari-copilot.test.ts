import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What api-doc.copilot.clari.com shows as answers, as far as the provider file relies on it. */

it('calls are skipped page by page, within the window', async () => {
  const calls = ({ url }: SeenRequest): Answer => {
    const skip = Number(url.searchParams.get('skip') ?? 0)
    const call = { id: `c${skip}`, time: '2026-01-02T00:00:00.000Z' }
    return { body: { calls: [call], pagination: { matched: 2, nextPageSkip: skip + 1, hasMore: skip === 0 } } }
  }
  await using provider = await openProvider('clariCopilot', calls)
  const request = { object: 'calls', fields: ['id'], since: new Date('2026-01-01T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...last.records].map(({ id }) => id)).toEqual(['c0', 'c1'])
  expect(last.nextPage).toBeUndefined()
  const window = 'sortTime=asc&filterModifiedGt=2025-12-31T23:59:59.999Z'
  expect(asked(provider.seen)).toEqual([`GET /calls?limit=100&${window}`, `GET /calls?limit=100&skip=1&${window}`])
})

it('accounts are written by their id in the CRM', async () => {
  const answer = ({ body }: SeenRequest): Answer => ({ body: { id: 'x1', ...JSON.parse(body || '{}') } })
  await using provider = await openProvider('clariCopilot', answer)
  const { connector } = provider
  const record = { name: 'Acme' }
  const created = { object: 'accounts', type: 'create', record: { crm_id: '7', ...record } } as const
  expect(await connector.write(created)).toMatchObject({ recordId: '7' })
  expect(await connector.write({ object: 'accounts', type: 'update', id: '7', record })).toMatchObject({
    recordId: '7',
  })
  await connector.write({ object: 'accounts', type: 'delete', id: '7', record: {} })
  expect(asked(provider.seen)).toEqual([
    'POST /create-account {"crm_id":"7","name":"Acme"}',
    'PUT /update-account {"name":"Acme","crm_id":"7"}',
    'DELETE /delete-account {"id":"7"}',
  ])
})

it.each([
  ['leaves out', (time: string, from: string) => time > from],
  ['finds', (time: string, from: string) => time >= from],
])('calls that begin with the last of 10,000 come once, if the filter %s calls of its very time', async (_, fits) => {
  const at = (index: number) => `2026-01-01T00:00:${index < 9_998 ? '00' : '01'}.000Z`
  const all = Array.from({ length: 10_001 }, (_, index) => ({ id: `c${index}`, time: at(index) }))
  const calls = ({ url }: SeenRequest): Answer => {
    const from = url.searchParams.get('filterTimeGt') ?? ''
    const skip = Number(url.searchParams.get('skip') ?? 0)
    const found = all.filter(({ time }) => fits(time, from))
    const page = found.slice(skip, skip + 100)
    return { body: { calls: page, pagination: { nextPageSkip: skip + 100, hasMore: skip + 100 < found.length } } }
  }
  await using provider = await openProvider('clariCopilot', calls)
  const ids = (await readAll(provider.connector, { object: 'calls', fields: ['id'] })).map(({ id }) => id)
  expect(ids).toHaveLength(10_001)
  expect(new Set(ids).size).toBe(10_001)
})

it('topics that changed are read, with those of the very time', async () => {
  await using provider = await openProvider('clariCopilot', () => ({ body: { topics: [{ topic_id: 't1' }] } }))
  await provider.connector.readPage({ object: 'topics', fields: [], since: new Date('2026-01-01T00:00:00Z') })
  expect(asked(provider.seen)).toEqual(['GET /v2/topics?filterModifiedGt=2025-12-31T23:59:59.999Z'])
})
