import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** Requests and responses that developer.focus.teamleader.eu shows, as far as the provider file relies on them. */

const definition = {
  id: 'd1',
  context: 'contact',
  type: 'single_select',
  label: 'Tier',
  configuration: { options: ['A'] },
}
const contact = (n: number) => ({
  id: `c${n}`,
  first_name: 'Ada',
  custom_fields: [{ definition: { type: 'customFieldDefinition', id: 'd1' }, value: 'A' }],
})

function teamleader({ url: { pathname }, body }: SeenRequest): Answer {
  const { page = {} } = JSON.parse(body) as { page?: { number?: number } }
  switch (pathname) {
    case '/customFieldDefinitions.list':
      return { body: { data: [definition] } }
    case '/contacts.list':
      return { body: { data: page.number === 2 ? [contact(101)] : Array.from({ length: 100 }, (_, n) => contact(n)) } }
    case '/deals.create':
      return { status: 400, body: { errors: [{ title: 'Title must not be empty' }] } }
    default:
      return { status: 204 }
  }
}

it('contacts are read by pages, with their custom fields by name', async () => {
  await using opened = await openProvider('teamleader', teamleader)
  const { connector, seen } = opened
  const request = { object: 'contacts', fields: ['first_name', 'Tier'], since: new Date('2026-01-01T00:00:00Z') }
  const first = await connector.readPage(request)
  expect(first.records[0]).toMatchObject({ id: 'c0', fields: { first_name: 'Ada', tier: 'A' } })
  const second = await connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(second).toMatchObject({ records: [{ id: 'c101' }], nextPage: undefined })
  const lists = seen
    .filter(({ url }) => url.pathname === '/contacts.list')
    .map(({ body }) => JSON.parse(body) as object)
  expect(lists).toMatchObject([
    { filter: { updated_since: '2025-12-31T23:59:59Z' }, includes: 'custom_fields', page: { size: 100, number: 1 } },
    { page: { size: 100, number: 2 } },
  ])
  const { fields } = await connector.describeObject('contacts')
  expect(fields['Tier']).toMatchObject({ valueType: 'singleSelect', isCustom: true, values: [{ value: 'A' }] })
})

it('a record is changed and deleted by its id in the body, and a refusal has its reason', async () => {
  await using opened = await openProvider('teamleader', teamleader)
  const { connector, seen } = opened
  await connector.write({ object: 'deals', type: 'update', id: 'd1', record: { title: 'Deal' } })
  await connector.write({ object: 'deals', type: 'delete', id: 'd1', record: {} })
  expect(asked(seen)).toEqual(['POST /deals.update {"title":"Deal","id":"d1"}', 'POST /deals.delete {"id":"d1"}'])
  await expect(connector.write({ object: 'deals', type: 'create', record: {} })).rejects.toMatchObject({
    errors: [{ message: 'Title must not be empty' }],
  })
})

it('projects that changed are asked for, and nothing is sent before a limit starts again', async () => {
  const headers = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '2021-06-15T10:51:23.035+0100' }
  const now = () => Date.parse('2021-06-15T09:50:53.035Z')
  await using opened = await openProvider('teamleader', () => ({ headers, body: { data: [] } }), { now })
  const request = { object: 'projects', fields: [], since: new Date('2021-01-01T00:00:01Z') }
  await opened.connector.readPage(request)
  expect(JSON.parse(opened.seen[0]?.body ?? '')).toMatchObject({ filter: { updated_since: '2021-01-01T00:00:00Z' } })
  await expect(opened.connector.readPage(request)).rejects.toMatchObject({
    class: 'rate_limited',
    retryAfterMs: 30_000,
  })
  expect(opened.seen).toHaveLength(1)
})

it('credit notes that changed are asked for', async () => {
  await using opened = await openProvider('teamleader', () => ({ body: { data: [] } }))
  await opened.connector.readPage({ object: 'creditNotes', fields: [], since: new Date('2021-01-01T00:00:01Z') })
  expect(JSON.parse(opened.seen[0]?.body ?? '')).toMatchObject({ filter: { updated_since: '2021-01-01T00:00:00Z' } })
})

it('a list without pages is complete, and a discount is known by its department and name', async () => {
  const discounts = Array.from({ length: 100 }, (_, n) => ({ name: `Discount ${n}`, department: { id: 'd1' } }))
  await using opened = await openProvider('teamleader', () => ({ body: { data: discounts } }))
  const page = await opened.connector.readPage({ object: 'commercialDiscounts', fields: [] })
  expect(page.records[7]).toMatchObject({ id: 'd1/Discount%207' })
  expect(page.nextPage).toBeUndefined()
  expect(opened.seen[0]?.body).toBe('')
})
