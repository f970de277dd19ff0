import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider } from '../testing/open-provider.testkit.ts'

/** What linear.app/developers shows as answers, as far as the provider file relies on it. */

const issue = (id: string) => ({ id, title: `Issue ${id}`, updatedAt: '2026-01-02T00:00:00.000Z', team: { id: 't1' } })

interface Asked {
  query: string
  variables: { first?: number; after?: string; filter?: object; id?: string; input?: Record<string, unknown> }
}

const askedOf = ({ body }: SeenRequest) => JSON.parse(body) as Asked
const refusal = (message: string, code: string) => ({ errors: [{ message, extensions: { code } }] })

function linear(request: SeenRequest): Answer {
  const { query, variables } = askedOf(request)
  if (request.method !== 'POST' || request.url.pathname !== '/graphql') return { status: 404 }
  if ((variables.first ?? 0) > 250) return { body: refusal('Argument Validation Error', 'INVALID_INPUT') }
  if (query.includes('issueCreate')) {
    if (variables.input?.['teamId'] === undefined)
      return { status: 400, body: refusal('teamId must be a UUID.', 'INVALID_INPUT') }
    return { body: { data: { result: { success: true, record: { ...issue('i3'), ...variables.input } } } } }
  }
  if (query.includes('issueUpdate')) return { body: { data: { result: { success: false, record: null } } } }
  if (query.includes('issueDelete')) return { body: { data: { result: { success: true } } } }
  if (/\bissue\(id/.test(query)) return { body: { data: { issue: issue(variables.id ?? '') } } }
  if (query.includes('favorites(')) return { status: 400, body: refusal('Slow down.', 'RATELIMITED') }
  if (!query.includes('includeArchived: true')) throw new Error('archived issues are missing')
  const last = variables.after === 'c1'
  const nodes = [issue(last ? 'i2' : 'i1')]
  return { body: { data: { issues: { nodes, pageInfo: { hasNextPage: !last, endCursor: last ? 'c2' : 'c1' } } } } }
}

it('issues of a window are read page by page', async () => {
  await using provider = await openProvider('linear', linear)
  const since = new Date('2026-01-01T00:00:00Z')
  const request = { object: 'issues', fields: ['title', 'teamId'], since, until: new Date('2026-01-03T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  expect(first.records).toMatchObject([{ id: 'i1', fields: { title: 'Issue i1', teamid: 't1' } }])
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(second).toMatchObject({ records: [{ id: 'i2' }] })
  expect(second.nextPage).toBeUndefined()
  const filter = { updatedAt: { gte: '2026-01-01T00:00:00.000Z', lte: '2026-01-03T00:00:00.000Z' } }
  expect(provider.seen.map((request) => askedOf(request).variables)).toEqual([
    { first: 250, filter },
    { first: 250, after: 'c1', filter },
  ])
})

it('issues are searched, created, deleted and read by their ids', async () => {
  await using provider = await openProvider('linear', linear)
  const { connector, seen } = provider
  await connector.search({ object: 'issues', fields: 'all', filters: [{ field: 'number', operator: 'eq', value: 7 }] })
  expect(seen.map((request) => askedOf(request).variables.filter)).toEqual([{ and: [{ number: { eq: 7 } }] }])
  const record = { title: 'New', teamId: 't1' }
  expect(await connector.write({ object: 'issues', type: 'create', record })).toMatchObject({ recordId: 'i3' })
  await connector.write({ object: 'issues', type: 'delete', id: 'i3', record: {} })
  expect((await connector.fetchRecords('issues', ['i9'], ['title'])).get('i9')).toMatchObject({ id: 'i9' })
})

it('refusals are errors, whatever their status is', async () => {
  await using provider = await openProvider('linear', linear)
  const { connector } = provider
  const create = connector.write({ object: 'issues', type: 'create', record: { title: 'New' } })
  await expect(create).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'teamId must be a UUID.' })
  await expect(connector.write({ object: 'issues', type: 'update', id: 'i1', record: {} })).rejects.toThrow()
  const read = connector.readPage({ object: 'favorites', fields: 'all' })
  await expect(read).rejects.toMatchObject({ class: 'rate_limited' })
})
