import { expect, it } from 'vitest'
import { proxyBase } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.pagerduty.com/api-reference shows as answers, as far as the provider file relies on it. */

function pagerDuty({ method, url, headers, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const refusal = (status: number, message: string, ...errors: string[]): Answer => ({
    status,
    body: { error: { code: 2001, message, errors } },
  })
  if (headers['authorization'] !== 'Token token=k1') return refusal(401, 'Unauthorized')
  if (method === 'GET' && pathname === '/services') {
    const limit = Number(searchParams.get('limit'))
    if (limit > 100) return refusal(400, 'Invalid Input Provided', 'Limit must be at most 100')
    const offset = Number(searchParams.get('offset'))
    // One of the page's services is hidden from this user, so that a page is short.
    const services = [{ id: offset === 0 ? 'PA' : 'PB', name: 'Mail' }]
    return { body: { services, limit, offset, more: offset === 0, total: null } }
  }
  if (method === 'DELETE') return { status: 204 }
  const name = pathname.startsWith('/incidents') ? 'incident' : 'service'
  const sent = (JSON.parse(body) as Record<string, { name?: string; title?: string }>)[name] ?? {}
  if (name === 'incident' && headers['from'] === undefined) return refusal(400, 'Requester User Not Found')
  if (name === 'service' && sent.name === undefined)
    return refusal(400, 'Invalid Input Provided', "Name can't be blank.")
  return { status: method === 'POST' ? 201 : 200, body: { [name]: { id: 'P1', ...sent } } }
}

const options = { credential: { scheme: 'apiKey', apiKey: 'k1' } } as const

it('services are read until there are no more, though a page is short', async () => {
  await using provider = await openProvider('pagerDuty', pagerDuty, options)
  const request = { object: 'services', fields: ['name'] }
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['PA', 'PB'])
  expect(second.nextPage).toBeUndefined()
})

it('incidents and log entries are read day by day; log entries name the incidents that changed', async () => {
  const day = (at: string) => ({ start: new Date(`2026-01-0${at}T00:00:00Z`) })
  const answer = ({ url, headers }: SeenRequest): Answer => {
    if (headers['accept'] !== 'application/vnd.pagerduty+json;version=2') return { status: 406 }
    const { pathname, searchParams } = url
    const id = /^\/incidents\/(.+)$/.exec(pathname)?.[1]
    if (id !== undefined) return { body: { incident: { id, status: 'resolved' } } }
    const offset = Number(searchParams.get('offset'))
    const since = searchParams.get('since')?.slice(0, 10)
    const [entries, incidents] = [
      ['2025-12-31', '2026-01-01'].map((at) => ({ id: `L${at}${offset}`, incident: { id: `P${since}` } })),
      [{ id: `P${since}-${offset}` }],
    ]
    const more = offset === 0
    return { body: pathname === '/log_entries' ? { log_entries: entries, more } : { incidents, more } }
  }
  await using provider = await openProvider('pagerDuty', answer, {
    ...options,
    now: () => Date.parse('2010-01-02T12:00:00Z'),
  })
  const window = { since: day('1').start, until: day('3').start }
  const changed = await readAll(provider.connector, { object: 'incidents', fields: ['status'], ...window })
  expect(changed.map(({ id, fields }) => [id, fields['status']])).toEqual(
    ['2025-12-31', '2026-01-01', '2026-01-02'].flatMap((at) => [`P${at}`, `P${at}`]).map((id) => [id, 'resolved']),
  )
  const full = await readAll(provider.connector, { object: 'incidents', fields: [] })
  expect(full.map(({ id }) => id)).toEqual(['P2009-12-31-0', 'P2009-12-31-1', 'P2010-01-01-0', 'P2010-01-01-1'])
  expect(asked(provider.seen).at(-1)).toBe(
    'GET /incidents?limit=100&offset=1&since=2010-01-01T23:59:57Z&until=2010-01-02T12:00:00Z&sort_by=created_at:asc',
  )
  const entries = await readAll(provider.connector, { object: 'log_entries', fields: [], ...window })
  expect(entries).toHaveLength(12)
})

it('services are created, changed and deleted in their envelope; a refusal lists what is wrong', async () => {
  await using provider = await openProvider('pagerDuty', pagerDuty, options)
  const { connector, seen } = provider
  const record = { name: 'Mail', type: 'service' }
  expect(await connector.write({ object: 'services', type: 'create', record })).toMatchObject({ recordId: 'P1' })
  await connector.write({ object: 'services', type: 'update', id: 'P1', record })
  await connector.write({ object: 'services', type: 'delete', id: 'P1', record: {} })
  expect(asked(seen)).toEqual([
    'POST /services {"service":{"name":"Mail","type":"service"}}',
    'PUT /services/P1 {"service":{"name":"Mail","type":"service"}}',
    'DELETE /services/P1',
  ])
  await expect(connector.write({ object: 'services', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'Invalid Input Provided',
    errors: [{ message: "Name can't be blank." }],
  })
})

it('incidents are created in the name of a user', async () => {
  await using provider = await openProvider('pagerDuty', pagerDuty, options)
  const record = { type: 'incident', title: 'Down', from: 'ada@example.com' }
  const created = await provider.connector.write({ object: 'incidents', type: 'create', record })
  expect(created).toMatchObject({ recordId: 'P1' })
  expect(provider.seen[0]?.headers['from']).toBe('ada@example.com')
  expect(provider.seen[0]?.body).toBe('{"incident":{"type":"incident","title":"Down"}}')
})

it('accounts of the European service region have another host', async () => {
  await using provider = await openProvider('pagerDuty', pagerDuty, options)
  const hostFor = (metadata: Record<string, string>) => proxyBase(provider.entry, { metadata }).host
  const eu = 'api.eu.pagerduty.com'
  expect([hostFor({}), hostFor({ apiHost: eu })]).toEqual(['api.pagerduty.com', eu])
})

it('maintenance windows that have ended are read, too', async () => {
  const answer = (): Answer => ({ body: { maintenance_windows: [], more: false } })
  await using provider = await openProvider('pagerDuty', answer, options)
  await readAll(provider.connector, { object: 'maintenance_windows', fields: ['description'] })
  expect(provider.seen[0]?.url.searchParams.get('filter')).toBe('all')
})
