import { expect, it } from 'vitest'
import { createConnector, loadCatalogue } from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { asked, readAll } from '../testing/open-provider.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

/** What desk.zoho.com/DeskAPIDocument shows as answers, as far as the module of Zoho Desk relies on it. */

const tickets = ['1', '2', '3', '4'].map((id) => ({ id, subject: `Ticket ${id}` }))

function zohoDesk({ method, url, headers, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (headers['orgid'] !== '2389290') return { status: 403, body: { errorCode: 'FORBIDDEN', message: 'No orgId.' } }
  if (method === 'GET' && pathname === '/api/v1/tickets') {
    const from = Number(searchParams.get('from'))
    const data = tickets.slice(from, from + Number(searchParams.get('limit')))
    return data.length === 0 ? { status: 204 } : { body: { data } }
  }
  if (pathname === '/api/v1/tickets/moveToTrash') return { status: 204 }
  const sent = JSON.parse(body) as { subject?: string }
  const errors = [{ fieldName: '/subject', errorType: 'missing', errorMessage: '' }]
  return sent.subject === undefined
    ? { status: 422, body: { errorCode: 'INVALID_DATA', message: 'The data is invalid.', errors } }
    : { body: { id: '5', ...sent } }
}

async function connect(answer: (request: SeenRequest) => Answer = zohoDesk) {
  const server = await startServer(answer)
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('zoho')
  if (entry === undefined) throw new Error('no zoho')
  const metadata = { orgId: '2389290', zoho_desk_domain: 'desk.zoho.eu', zoho_api_domain: 'www.zohoapis.eu' }
  const connection = { module: 'desk', metadata, credential: { scheme: 'oauth2', accessToken: 't1' } } as const
  const http = plainHttp(fetch, { from: 'https://desk.zoho.eu', to: server.origin })
  return { server, connector: createConnector(entry, connection, http) }
}

it('tickets of Zoho Desk are read until a page is empty', async () => {
  const { server, connector } = await connect()
  await using _ = server
  const request = { object: 'tickets', fields: ['subject'], pageSize: 2 }
  const ids = (await readAll(connector, request)).map(({ id }) => id)
  expect(ids).toEqual(['1', '2', '3', '4'])
})

it('tickets of Zoho Desk are created, changed and moved to the trash; a refusal lists what is wrong', async () => {
  const { server, connector } = await connect()
  await using _ = server
  const record = { subject: 'Printer' }
  expect(await connector.write({ object: 'tickets', type: 'create', record })).toMatchObject({ recordId: '5' })
  await connector.write({ object: 'tickets', type: 'update', id: '5', record })
  await connector.write({ object: 'tickets', type: 'delete', id: '5', record: {} })
  expect(asked(server.seen)).toEqual([
    'POST /api/v1/tickets {"subject":"Printer"}',
    'PATCH /api/v1/tickets/5 {"subject":"Printer"}',
    'POST /api/v1/tickets/moveToTrash {"ticketIds":["5"]}',
  ])
  await expect(connector.write({ object: 'tickets', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    errors: [{ message: '/subject: missing' }],
  })
})

it.each([
  ['calls', 'entityIds'],
  ['events', 'entityIds'],
  ['products', 'productIds'],
  ['tasks', 'entityIds'],
])('%s of Zoho Desk are read and moved to the trash in their organization', async (object, ids) => {
  const { server, connector } = await connect(({ method, url, headers }) => {
    if (headers['orgid'] !== '2389290') return { status: 403, body: { message: 'No orgId.' } }
    if (method !== 'GET' || url.searchParams.get('from') !== '0') return { status: 204 }
    return { body: { data: [{ id: '8' }] } }
  })
  await using _ = server
  expect(await readAll(connector, { object, fields: [] })).toMatchObject([{ id: '8' }])
  await connector.write({ object, type: 'delete', id: '8', record: {} })
  expect(asked(server.seen).at(-1)).toBe(`POST /api/v1/${object}/moveToTrash {"${ids}":["8"]}`)
})

it('contacts of Zoho Desk are found by the values that they have', async () => {
  const found = [
    { id: '1', email: 'ada@example.com' },
    { id: '2', email: 'ada@example.co' },
  ]
  const { server, connector } = await connect(() => ({ body: { data: found } }))
  await using _ = server
  const search = (field: string) =>
    connector.search({ object: 'contacts', fields: [], filters: [{ field, operator: 'eq', value: 'ada@example.com' }] })
  expect((await search('email')).records.map(({ id }) => id)).toEqual(['1'])
  expect(asked(server.seen)).toEqual([
    'GET /api/v1/contacts/search?from=0&limit=100&sortBy=createdTime&email=ada@example.com',
  ])
  await expect(search('title')).rejects.toMatchObject({ name: 'FieldsNotSearchable' })
})
