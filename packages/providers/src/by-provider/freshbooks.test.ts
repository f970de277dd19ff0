import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What freshbooks.com/api shows, as far as the provider file relies on it. */

const root = '/accounting/account/a1'

function freshbooks({ method, url, body }: SeenRequest): Answer {
  const area = { '/users/clients': 'clients', '/invoices/invoices': 'invoices' }[url.pathname.replace(root, '')]
  if (method !== 'GET') {
    const { client } = JSON.parse(body) as { client: { email?: string } }
    const errors = [{ errno: 1001, field: 'email', message: 'The email is not valid.', object: 'client' }]
    return client.email === 'none'
      ? { status: 422, body: { response: { errors } } }
      : { body: { response: { result: { client: { id: 9, ...client } } } } }
  }
  const size = Math.min(Number(url.searchParams.get('per_page') ?? 15), 100)
  const page = Number(url.searchParams.get('page') ?? 1)
  const all = [1, 2, 3].map((id) => ({ id, updated: `2026-01-0${id} 00:00:00` }))
  const result = { page, pages: Math.ceil(3 / size), per_page: size, total: 3 }
  return area === undefined
    ? { status: 404, body: { message: 'Not found' } }
    : { body: { response: { result: { ...result, [area]: all.slice((page - 1) * size, page * size) } } } }
}

const open = () => openProvider('freshbooks', freshbooks, { metadata: { accountId: 'a1' } })

it('clients are read to the last page, those that changed', async () => {
  await using provider = await open()
  const request = { object: 'clients', fields: ['email'], pageSize: 2, since: new Date('2026-01-02T02:00:00Z') }
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['1', '2', '3'])
  expect([first.total, second.nextPage]).toEqual([3, undefined])
  expect(asked(provider.seen)).toEqual([
    `GET ${root}/users/clients?page=1&per_page=2&search[updated_min]=2026-01-01`,
    `GET ${root}/users/clients?page=2&per_page=2&search[updated_min]=2026-01-01`,
  ])
})

it('invoices that changed are found by their time in New York', async () => {
  await using provider = await open()
  const since = new Date('2026-01-02T05:00:00Z')
  const { records } = await provider.connector.readPage({ object: 'invoices', fields: ['status'], since })
  expect(records.map(({ id }) => id)).toEqual(['2', '3'])
})

it('clients are written under their name, and hidden when deleted', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const created = await connector.write({ object: 'clients', type: 'create', record: { email: 'ada@example.com' } })
  expect(created.recordId).toBe('9')
  await connector.write({ object: 'clients', type: 'update', id: '9', record: { fname: 'Ada' } })
  await connector.write({ object: 'clients', type: 'delete', id: '9', record: {} })
  expect(asked(seen)).toEqual([
    `POST ${root}/users/clients {"client":{"email":"ada@example.com"}}`,
    `PUT ${root}/users/clients/9 {"client":{"fname":"Ada"}}`,
    `PUT ${root}/users/clients/9 {"client":{"vis_state":1}}`,
  ])
  const refused = connector.write({ object: 'clients', type: 'create', record: { email: 'none' } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'The email is not valid.' })
})

it('credit notes have the name of the list in every request, and other incomes are deleted for good', async () => {
  await using provider = await openProvider(
    'freshbooks',
    ({ method, url }) => {
      if (method === 'DELETE') return { status: 200, body: {} }
      const page = { page: 1, pages: 1, per_page: 100, total: 1 }
      const result = url.pathname.endsWith('/other_incomes')
        ? { ...page, other_income: [{ incomeid: 5 }] }
        : { credit_notes: { creditid: 4 } }
      return { body: { response: { result } } }
    },
    { metadata: { accountId: 'a1' } },
  )
  const { connector, seen } = provider
  const record = { currency_code: 'USD' }
  expect((await connector.write({ object: 'credit_notes', type: 'create', record })).recordId).toBe('4')
  const { records } = await connector.readPage({ object: 'other_incomes', fields: [] })
  await connector.write({ object: 'other_incomes', type: 'delete', id: records[0]?.id ?? '', record: {} })
  expect(asked(seen)).toEqual([
    `POST ${root}/credit_notes/credit_notes {"credit_notes":{"currency_code":"USD"}}`,
    `GET ${root}/other_incomes/other_incomes?page=1&per_page=100`,
    `DELETE ${root}/other_incomes/other_incomes/5`,
  ])
})

it('deleted records are those that only a filter lists, and do not exist by their ids', async () => {
  const bill = (id: number, vis_state: number) => ({ id, vis_state, updated_at: `2026-01-0${id} 00:00:00` })
  await using provider = await openProvider(
    'freshbooks',
    ({ url }) => {
      const page = { page: 1, pages: 1, per_page: 100, total: 2 }
      const one = { [`${root}/bills/bills/2`]: bill(2, 2), [`${root}/bills/bills/3`]: bill(3, 1) }[url.pathname]
      // As an API that ignores the filter would: archived records are no deletions.
      const all = url.searchParams.has('search[vis_state]') ? [bill(1, 1), bill(2, 2), bill(3, 1)] : [bill(2, 2)]
      return { body: { response: { result: one === undefined ? { ...page, bills: all } : { bill: one } } } }
    },
    { metadata: { accountId: 'a1' } },
  )
  const since = new Date('2026-01-02T05:00:00Z')
  const request = { object: 'bills', fields: ['id'], since, deletions: true }
  const { records } = await provider.connector.readPage(request)
  expect(records.map(({ id, deleted }) => [id, deleted])).toEqual([
    ['2', undefined],
    ['3', true],
  ])
  expect(await provider.connector.fetchRecord('bills', '2', ['id'])).toMatchObject({ id: '2' })
  expect(await provider.connector.fetchRecord('bills', '3', ['id'])).toBeUndefined()
})
