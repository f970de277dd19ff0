import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developer.connectwise.com shows as answers, as far as the provider file relies on it. */

const given = {
  metadata: { region: 'na', clientId: 'c1' },
  credential: { scheme: 'basic', username: 'acme+key', password: 'secret' } as const,
}

it('lists continue after the last id, within the window', async () => {
  const page = (from: number, count: number) => Array.from({ length: count }, (_, at) => ({ id: from + at }))
  const contacts = ({ url }: SeenRequest): Answer => ({
    body: url.searchParams.get('conditions')?.startsWith('id > 2') ? page(3, 1) : page(1, 2),
  })
  await using provider = await openProvider('connectWise', contacts, given)
  const request = { object: 'contacts', fields: ['id'], since: new Date('2026-01-01T00:00:00Z'), pageSize: 2 }
  const first = await provider.connector.readPage(request)
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...last.records].map(({ id }) => id)).toEqual(['1', '2', '3'])
  expect(last.nextPage).toBeUndefined()
  const path = 'GET /v4_6_release/apis/3.0/company/contacts?pageSize=2&orderBy=id asc&conditions='
  const window = 'lastUpdated >= [2026-01-01T00:00:00Z]'
  expect(asked(provider.seen)).toEqual([`${path}${window}`, `${path}id > 2 and ${window}`])
  expect(provider.seen[0]?.headers['clientid']).toBe('c1')
})

it('paths with several parts are sent as they are', async () => {
  await using provider = await openProvider('connectWise', () => ({ body: [] }), given)
  for (const object of ['service/tickets', 'company/companies/statuses'])
    await provider.connector.readPage({ object, fields: ['id'] })
  expect(provider.seen.map(({ url }) => url.pathname)).toEqual([
    '/v4_6_release/apis/3.0/service/tickets',
    '/v4_6_release/apis/3.0/company/companies/statuses',
  ])
})

it('an update is a list of operations, one for each field', async () => {
  await using provider = await openProvider('connectWise', () => ({ body: { id: 7, lastName: 'Sims' } }), given)
  const record = { lastName: 'Sims', title: 'Dr.' }
  expect(await provider.connector.write({ object: 'contacts', type: 'update', id: '7', record })).toMatchObject({
    recordId: '7',
  })
  const { method, url, body } = provider.seen.at(-1) ?? {}
  expect([method, url?.pathname]).toEqual(['PATCH', '/v4_6_release/apis/3.0/company/contacts/7'])
  expect(JSON.parse(body ?? '')).toEqual([
    { op: 'replace', path: 'lastName', value: 'Sims' },
    { op: 'replace', path: 'title', value: 'Dr.' },
  ])
})

it('a refusal says which fields are wrong', async () => {
  const errors = [{ code: 'MissingRequiredField', message: 'The firstName field is required.', field: 'firstName' }]
  const body = { code: 'InvalidObject', message: 'contact object is invalid', errors }
  await using provider = await openProvider('connectWise', () => ({ status: 400, body }), given)
  const refused = provider.connector.write({ object: 'contacts', type: 'create', record: { lastName: 'Sims' } })
  await expect(refused).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'contact object is invalid',
    errors: [{ message: 'The firstName field is required.' }],
  })
})

it('a deleted company is a deletion where deletions are requested', async () => {
  const companies = [
    { id: 1, deletedFlag: false },
    { id: 2, deletedFlag: true },
  ]
  await using provider = await openProvider('connectWise', () => ({ body: companies }), given)
  const since = new Date('2026-01-01T00:00:00Z')
  const request = { object: 'companies', fields: ['id'], since, deletions: true }
  const { records } = await provider.connector.readPage(request)
  expect(records.map(({ id, deleted }) => [id, deleted])).toEqual([
    ['1', undefined],
    ['2', true],
  ])
})
