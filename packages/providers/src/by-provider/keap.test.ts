import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider } from '../testing/open-provider.testkit.ts'

/** What developer.infusionsoft.com/docs/restv2 shows as answers, as far as the provider file relies on it. */

function keap({ method, url }: SeenRequest): Answer {
  if (url.pathname.endsWith('/model')) return { body: { custom_fields: [{ id: '6', label: 'jobtitle' }] } }
  if (method !== 'GET') return { status: 201, body: { id: '24' } }
  const isLast = url.searchParams.get('page_token') === 'NzU='
  const record = { id: isLast ? '23' : '22', custom_fields: [{ id: '6', content: isLast ? 'Owner' : 'Engineer' }] }
  return { body: { contacts: [record], next_page_token: isLast ? '' : 'NzU=' } }
}

it('contacts are read page by page, with the fields of the customer', async () => {
  await using provider = await openProvider('keap', keap)
  const since = new Date('2026-01-01T00:00:00Z')
  const request = { object: 'contacts', fields: ['jobtitle'], since, until: new Date('2026-01-02T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...last.records].map(({ id, fields }) => [id, fields])).toEqual([
    ['22', { jobtitle: 'Engineer' }],
    ['23', { jobtitle: 'Owner' }],
  ])
  expect(last.nextPage).toBeUndefined()
  const pages = provider.seen.map(({ url }) => url.searchParams).filter((query) => query.has('page_size'))
  const window = 'start_update_time==2026-01-01T00:00:00.000Z;end_update_time==2026-01-02T00:00:00.000Z'
  expect(pages.map((query) => [query.get('page_token'), query.get('filter')])).toEqual([
    [null, window],
    ['NzU=', window],
  ])
})

it('fields of the customer are written by their ids', async () => {
  await using provider = await openProvider('keap', keap)
  const record = { given_name: 'Ada', jobtitle: 'Owner' }
  const written = await provider.connector.write({ object: 'contacts', type: 'create', record })
  expect(written).toMatchObject({ recordId: '24' })
  expect(JSON.parse(provider.seen.at(-1)?.body ?? '')).toEqual({
    given_name: 'Ada',
    custom_fields: [{ id: '6', content: 'Owner' }],
  })
})

it('notes are read contact by contact, and written below their contact', async () => {
  const notes = ({ method, url }: SeenRequest): Answer => {
    if (method !== 'GET') return { body: { id: '7' } }
    if (url.pathname === '/crm/rest/v2/contacts') return { body: { contacts: [{ id: '1' }, { id: '2' }] } }
    return { body: { notes: [{ id: '7', text: url.pathname }] } }
  }
  await using provider = await openProvider('keap', notes)
  const { connector } = provider
  const object = 'notes'
  const { records } = await connector.readPage({ object, fields: ['contact_id'] })
  expect(records.map(({ id, fields }) => [id, fields])).toEqual([
    ['1/7', { contact_id: '1' }],
    ['2/7', { contact_id: '2' }],
  ])
  await connector.write({ object, type: 'create', record: { contact_id: '1', text: 'A' } })
  await connector.write({ object, type: 'update', id: '2/7', record: { text: 'B' } })
  const written = provider.seen.filter(({ method }) => method !== 'GET')
  expect(written.map(({ method, url, body }) => `${method} ${url.pathname} ${body}`)).toEqual([
    'POST /crm/rest/v2/contacts/1/notes {"text":"A"}',
    'PATCH /crm/rest/v2/contacts/2/notes/7 {"text":"B"}',
  ])
})

/** What the list of an object is asked for, in a read of a window. */
async function listed(object: string, records: string) {
  const answer = ({ url }: SeenRequest): Answer => ({ body: url.pathname.endsWith('/model') ? {} : { [records]: [] } })
  await using provider = await openProvider('keap', answer)
  const since = new Date('2026-01-01T00:00:00Z')
  const { connector, seen } = provider
  await connector.readPage({ object, fields: ['id'], since, until: new Date('2026-01-02T00:00:00Z') })
  return seen.find(({ url }) => url.searchParams.has('page_size'))?.url.searchParams ?? new URLSearchParams()
}

it('changed companies and tags are asked for by the time of their change', async () => {
  const from = '2026-01-01T00:00:00.000Z'
  const to = '2026-01-02T00:00:00.000Z'
  const companies = await listed('companies', 'companies')
  expect(companies.get('filter')).toBe(`since_time==${from};until_time==${to}`)
  expect(companies.get('fields')?.split(',')).toEqual(expect.arrayContaining(['create_time', 'update_time']))
  for (const [object, records] of [
    ['tags', 'tags'],
    ['tags/categories', 'tag_categories'],
  ] as const) {
    expect((await listed(object, records)).get('filter')).toBe(`since_update_time==${from};until_update_time==${to}`)
  }
})

it('fields of the customer are requested where a list leaves them out', async () => {
  for (const object of ['opportunities', 'tasks'])
    expect((await listed(object, object)).get('fields')).toMatch(/^custom_fields/)
  for (const [object, id] of [
    ['tasks', '7'],
    ['notes', '3/7'],
  ] as const) {
    await using provider = await openProvider('keap', () => ({ body: { id: '7' } }))
    await provider.connector.fetchRecord(object, id, 'all')
    expect(provider.seen[0]?.url.searchParams.get('fields')).toBe('custom_fields')
  }
})

it('inactive users and partners are read, in pages that Keap accepts', async () => {
  const users = await listed('users', 'users')
  expect([users.get('filter'), users.get('page_size')]).toEqual([
    'include_inactive==true;include_partners==true',
    '100',
  ])
  expect((await listed('automations', 'automations')).get('page_size')).toBe('25')
})

it('lead sources are in the list that Keap names', async () => {
  await using provider = await openProvider('keap', () => ({ body: { lead_sources: [{ id: '3' }] } }))
  const { records } = await provider.connector.readPage({ object: 'leadSources', fields: ['id'] })
  expect(records.map(({ id }) => id)).toEqual(['3'])
})
