import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What workable.readme.io/reference shows as answers, as far as the provider file relies on it. */

const candidate = (id: string) => ({ id, name: `Candidate ${id}`, job: { shortcode: 'GROOV003' } })

function workable({ method, url, headers, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (headers['authorization'] !== 'Bearer k1') return { status: 401, body: { error: 'Not authorized' } }
  if (method === 'GET' && pathname === '/spi/v3/candidates') {
    if (Number(searchParams.get('limit')) > 100) return { status: 422, body: { error: 'limit' } }
    if (searchParams.get('since_id') === 'a') return { body: { candidates: [candidate('b')], paging: {} } }
    const next = 'https://www.workable.com/spi/v3/accounts/acme/candidates?limit=100&since_id=a'
    return { body: { candidates: [candidate('a')], paging: { next } } }
  }
  if (method === 'POST' && pathname === '/spi/v3/jobs/GROOV003/candidates') {
    const sent = JSON.parse(body) as { candidate: { email?: string } }
    return sent.candidate.email === undefined
      ? { status: 422, body: { error: 'Email is missing' } }
      : { status: 201, body: { status: 'created', candidate: { ...candidate('c'), ...sent.candidate } } }
  }
  return { status: 404, body: { error: 'Not found' } }
}

const options = { metadata: { subdomain: 'acme' }, credential: { scheme: 'apiKey', apiKey: 'k1' } } as const

it('candidates of a window are read to the last page, whose cursor is in a URL of another host', async () => {
  await using provider = await openProvider('workable', workable, options)
  const request = { object: 'candidates', fields: ['shortcode'], since: new Date('2026-01-01T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  expect(first.records).toMatchObject([{ id: 'a', fields: { shortcode: 'GROOV003' } }])
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(second.records.map(({ id }) => id)).toEqual(['b'])
  expect(second.nextPage).toBeUndefined()
  expect(asked(provider.seen)).toEqual([
    'GET /spi/v3/candidates?limit=100&updated_after=2025-12-31T23:59:59Z',
    'GET /spi/v3/candidates?limit=100&since_id=a&updated_after=2025-12-31T23:59:59Z',
  ])
})

it('candidates are created for a job; a refusal says why', async () => {
  await using provider = await openProvider('workable', workable, options)
  const { connector, seen } = provider
  const record = { shortcode: 'GROOV003', email: 'ada@example.com' }
  expect(await connector.write({ object: 'candidates', type: 'create', record })).toMatchObject({ recordId: 'c' })
  expect(seen[0]?.body).toBe('{"candidate":{"email":"ada@example.com"}}')
  const refused = connector.write({ object: 'candidates', type: 'create', record: { shortcode: 'GROOV003' } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'Email is missing' })
})

it('members are read with inactive ones, to the last page, and can be searched and deleted', async () => {
  const answer = ({ method, url }: SeenRequest): Answer => {
    if (method === 'DELETE') return { status: 204 }
    const isLast = url.searchParams.has('email') || url.searchParams.get('since_id') === 'm2'
    const next = 'https://www.workable.com/spi/v3/members?limit=100&since_id=m2&status=all'
    return { body: { members: [{ id: isLast ? 'm2' : 'm1', active: isLast }], paging: isLast ? {} : { next } } }
  }
  await using provider = await openProvider('workable', answer, options)
  const { connector, seen } = provider
  const found = await readAll(connector, { object: 'members', fields: ['active'] })
  expect(found.map(({ id }) => id)).toEqual(['m1', 'm2'])
  const filters = [{ field: 'email', operator: 'eq', value: 'ada@example.com' } as const]
  await connector.search({ object: 'members', fields: [], filters })
  await connector.write({ object: 'members', type: 'delete', id: 'm2', record: {} })
  expect(asked(seen)).toEqual([
    'GET /spi/v3/members?limit=100&status=all',
    'GET /spi/v3/members?limit=100&since_id=m2&status=all',
    'GET /spi/v3/members?limit=100&status=all&email=ada@example.com',
    'DELETE /spi/v3/members/m2',
  ])
})

it('employees are read by offset, and departments from a response that is the list', async () => {
  const ids = ['e1', 'e2', 'e3']
  const answer = ({ url }: SeenRequest): Answer => {
    if (url.pathname === '/spi/v3/departments') return { body: [{ id: '3ff4d641', name: 'Sales', parent_id: null }] }
    const offset = Number(url.searchParams.get('offset'))
    const employees = ids.slice(offset, offset + Number(url.searchParams.get('limit'))).map((id) => ({ id }))
    return { body: { totalCount: ids.length, employees } }
  }
  await using provider = await openProvider('workable', answer, options)
  const found = await readAll(provider.connector, { object: 'employees', fields: [], pageSize: 2 })
  expect(found.map(({ id }) => id)).toEqual(ids)
  const departments = await readAll(provider.connector, { object: 'departments', fields: ['name'] })
  expect(departments).toMatchObject([{ id: '3ff4d641', fields: { name: 'Sales' } }])
  expect(asked(provider.seen)).toEqual([
    'GET /spi/v3/employees?limit=2&offset=0',
    'GET /spi/v3/employees?limit=2&offset=2',
    'GET /spi/v3/departments',
  ])
})

it('events are read with canceled ones, to the last page, by candidate or job, and by their id', async () => {
  const event = (id: string, cancelled = false) => ({
    ...{ id, type: 'InterviewEvent', starts_at: '2026-01-02T10:00:00.000Z', cancelled },
    ...{ job: { shortcode: 'GROOV005' }, candidate: { id: '34bc3e59', name: 'Steve Parks' }, members: [] },
  })
  const answer = ({ url }: SeenRequest): Answer => {
    if (url.pathname === '/spi/v3/events/e1') return { body: event('e1') }
    if (url.pathname !== '/spi/v3/events') return { status: 404, body: { error: 'Not found' } }
    if (url.searchParams.get('since_id') === 'e2') return { body: { events: [event('e2', true)], paging: {} } }
    const next = 'https://www.workable.com/spi/v3/accounts/acme/events?limit=50&since_id=e2'
    const paging = url.searchParams.has('candidate_id') ? {} : { next }
    return { body: { events: [event('e1')], paging } }
  }
  await using provider = await openProvider('workable', answer, options)
  const { connector } = provider
  const fields = ['cancelled', 'candidate_id', 'shortcode']
  const records = await readAll(connector, { object: 'events', fields })
  expect(records.map(({ id, fields: found }) => [id, found])).toEqual([
    ['e1', { cancelled: false, candidate_id: '34bc3e59', shortcode: 'GROOV005' }],
    ['e2', { cancelled: true, candidate_id: '34bc3e59', shortcode: 'GROOV005' }],
  ])
  const filters = [{ field: 'candidate_id', operator: 'eq', value: '34bc3e59' }] as const
  expect((await connector.search({ object: 'events', fields, filters })).records.map(({ id }) => id)).toEqual(['e1'])
  expect(asked(provider.seen)).toEqual([
    'GET /spi/v3/events?limit=50&include_cancelled=true',
    'GET /spi/v3/events?limit=50&since_id=e2&include_cancelled=true',
    'GET /spi/v3/events?limit=50&include_cancelled=true&candidate_id=34bc3e59',
  ])
  expect((await connector.fetchRecord('events', 'e1', fields))?.fields['shortcode']).toBe('GROOV005')
  expect(await connector.fetchRecord('events', 'e9', fields)).toBeUndefined()
})
