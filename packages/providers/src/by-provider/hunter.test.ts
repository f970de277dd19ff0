import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What hunter.io/api-documentation/v2 shows as answers, as far as the provider file relies on it. */

function hunter({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (searchParams.get('api_key') !== 'key') return { status: 401, body: { errors: [{ id: 'authentication_failed' }] } }
  if (method === 'PUT' || method === 'DELETE') return { status: 204 }
  if (method === 'POST') {
    const sent = JSON.parse(body) as { email?: string }
    const errors = [{ id: 'wrong_params', code: 400, details: 'You are missing the email parameter' }]
    return sent.email === undefined
      ? { status: 400, body: { errors } }
      : { status: 201, body: { data: { id: 9, ...sent } } }
  }
  if (pathname === '/v2/leads_custom_attributes')
    return { body: { data: { leads_custom_attributes: [{ id: 3, label: 'Birthday' }] } } }
  const from = Number(searchParams.get('offset'))
  const leads = [1, 2, 3].map((id) => ({ id, email: `l${id}@example.com` }))
  const page = leads.slice(from, from + Number(searchParams.get('limit')))
  return { body: { data: { leads: page }, meta: { total: leads.length } } }
}

const open = () => openProvider('hunter', hunter, { credential: { scheme: 'apiKey', apiKey: 'key' } })

it('leads are read to the last page, and custom attributes in one', async () => {
  await using provider = await open()
  const records = await readAll(provider.connector, { object: 'leads', fields: ['email'], pageSize: 2 })
  expect(records.map(({ id }) => id)).toEqual(['1', '2', '3'])
  const attributes = await readAll(provider.connector, { object: 'leads_custom_attributes', fields: [] })
  expect(attributes.map(({ id }) => id)).toEqual(['3'])
  expect(provider.seen.map(({ url }) => [url.pathname, url.searchParams.get('offset')])).toEqual([
    ['/v2/leads', '0'],
    ['/v2/leads', '2'],
    ['/v2/leads_custom_attributes', null],
  ])
})

it('leads are found by what the provider can filter', async () => {
  await using provider = await open()
  const search = (field: string) =>
    provider.connector.search({
      object: 'leads',
      fields: [],
      filters: [{ field, operator: 'eq', value: 'l2@example.com' }],
    })
  expect((await search('email')).records.map(({ id }) => id)).toEqual(['2'])
  expect(provider.seen[0]?.url.searchParams.get('email')).toBe('l2@example.com')
  await expect(search('notes')).rejects.toMatchObject({ name: 'FieldsNotSearchable' })
})

it('leads are created, changed and deleted; a refusal says why', async () => {
  await using provider = await open()
  const { connector } = provider
  const object = 'leads'
  const record = { email: 'a@example.com' }
  expect(await connector.write({ object, type: 'create', record })).toMatchObject({ recordId: '9' })
  await connector.write({ object, type: 'update', id: '9', record })
  await connector.write({ object, type: 'delete', id: '9', record: {} })
  expect(asked(provider.seen).map((line) => line.replace('?api_key=key', ''))).toEqual([
    'POST /v2/leads {"email":"a@example.com"}',
    'PUT /v2/leads/9 {"email":"a@example.com"}',
    'DELETE /v2/leads/9',
  ])
  const refused = connector.write({ object, type: 'create', record: { first_name: 'A' } })
  await expect(refused).rejects.toMatchObject({ providerMessage: 'You are missing the email parameter' })
})

it('403 means too many requests', async () => {
  const errors = [{ id: 'too_many_requests', code: 403, details: 'You have reached the rate limit' }]
  await using provider = await openProvider('hunter', () => ({ status: 403, body: { errors } }))
  const read = provider.connector.readPage({ object: 'leads', fields: [] })
  await expect(read).rejects.toMatchObject({ class: 'rate_limited' })
})

it('a list of more leads than requests can skip is an error', async () => {
  const many = ({ url }: SeenRequest): Answer => {
    const offset = Number(url.searchParams.get('offset'))
    const leads = Array.from({ length: 1_000 }, (_, index) => ({ id: offset + index }))
    return { body: { data: { leads }, meta: { total: 250_000 } } }
  }
  await using provider = await openProvider('hunter', many, { credential: { scheme: 'apiKey', apiKey: 'key' } })
  const read = readAll(provider.connector, { object: 'leads', fields: [] })
  await expect(read).rejects.toMatchObject({ class: 'list_truncated' })
  expect(provider.seen.at(-1)?.url.searchParams.get('offset')).toBe('100000')
})

it('tags are read and written', async () => {
  const tags = ({ method }: SeenRequest): Answer =>
    method === 'GET'
      ? { body: { data: { tags: [{ id: 1, name: 'Prospect' }] }, meta: { total: 1 } } }
      : { body: { data: { id: 2, name: 'Important' } } }
  await using provider = await openProvider('hunter', tags, { credential: { scheme: 'apiKey', apiKey: 'key' } })
  const read = await readAll(provider.connector, { object: 'tags', fields: ['name'] })
  expect(read).toMatchObject([{ id: '1', fields: { name: 'Prospect' } }])
  const write = { object: 'tags', type: 'create', record: { name: 'Important' } } as const
  expect(await provider.connector.write(write)).toMatchObject({ recordId: '2' })
})
