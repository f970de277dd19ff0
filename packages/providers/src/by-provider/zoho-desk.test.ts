import { expect, it } from 'vitest'
import { proxyBase } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What desk.zoho.com/DeskAPIDocument shows as answers, as far as the provider file relies on it. */

const tickets = ['1', '2', '3', '4'].map((id) => ({ id, subject: `Ticket ${id}` }))

function zohoDesk({ method, url, headers, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (headers['orgid'] !== '2389290') return { status: 403, body: { errorCode: 'FORBIDDEN', message: 'No orgId.' } }
  if (headers['authorization'] !== 'Zoho-oauthtoken t1')
    return { status: 401, body: { errorCode: 'UNAUTHORIZED', message: 'You are not authenticated.' } }
  if (method === 'GET' && pathname === '/api/v1/tickets') {
    const from = Number(searchParams.get('from'))
    const limit = Number(searchParams.get('limit'))
    if (limit > 100) return { status: 422, body: { errorCode: 'INVALID_DATA', message: 'limit', errors: [] } }
    const data = tickets.slice(from, from + limit)
    return data.length === 0 ? { status: 204 } : { body: { data } }
  }
  if (pathname === '/api/v1/tickets/moveToTrash') return { status: 204 }
  const sent = JSON.parse(body) as { subject?: string }
  const errors = [{ fieldName: '/subject', errorType: 'missing', errorMessage: '' }]
  return sent.subject === undefined
    ? { status: 422, body: { errorCode: 'INVALID_DATA', message: 'The data is invalid.', errors } }
    : { body: { id: '5', ...sent } }
}

const options = { metadata: { orgId: '2389290' } }

it('tickets are read until a page is empty', async () => {
  await using provider = await openProvider('zohoDesk', zohoDesk, options)
  const request = { object: 'tickets', fields: ['subject'], pageSize: 2 }
  const ids = (await readAll(provider.connector, request)).map(({ id }) => id)
  expect(ids).toEqual(['1', '2', '3', '4'])
  expect(asked(provider.seen)).toEqual(
    [0, 2, 4].map((from) => `GET /api/v1/tickets?from=${from}&limit=2&sortBy=createdTime`),
  )
})

it('tickets are created, changed and moved to the trash; a refusal lists what is wrong', async () => {
  await using provider = await openProvider('zohoDesk', zohoDesk, options)
  const { connector, seen } = provider
  const record = { subject: 'Printer' }
  expect(await connector.write({ object: 'tickets', type: 'create', record })).toMatchObject({ recordId: '5' })
  await connector.write({ object: 'tickets', type: 'update', id: '5', record })
  await connector.write({ object: 'tickets', type: 'delete', id: '5', record: {} })
  expect(asked(seen)).toEqual([
    'POST /api/v1/tickets {"subject":"Printer"}',
    'PATCH /api/v1/tickets/5 {"subject":"Printer"}',
    'POST /api/v1/tickets/moveToTrash {"ticketIds":["5"]}',
  ])
  await expect(connector.write({ object: 'tickets', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'The data is invalid.',
    errors: [{ message: '/subject: missing' }],
  })
})

it.each([
  ['tasks', 'entityIds'],
  ['calls', 'entityIds'],
  ['events', 'entityIds'],
  ['products', 'productIds'],
])('%s are read in pages, created, changed and moved to the trash', async (object, ids) => {
  const desk = ({ method, url, body }: SeenRequest): Answer => {
    if (url.pathname.endsWith('/moveToTrash')) return { status: 204 }
    if (method !== 'GET') return { body: { id: '9', ...JSON.parse(body) } }
    return url.searchParams.get('from') === '0' ? { body: { data: [{ id: '8' }] } } : { status: 204 }
  }
  await using provider = await openProvider('zohoDesk', desk, options)
  const { connector, seen } = provider
  expect(await readAll(connector, { object, fields: [], pageSize: 1 })).toMatchObject([{ id: '8' }])
  const record = { subject: 'Call' }
  expect(await connector.write({ object, type: 'create', record })).toMatchObject({ recordId: '9' })
  await connector.write({ object, type: 'update', id: '9', record })
  await connector.write({ object, type: 'delete', id: '9', record: {} })
  expect(asked(seen)).toEqual([
    `GET /api/v1/${object}?from=0&limit=1&sortBy=createdTime`,
    `GET /api/v1/${object}?from=1&limit=1&sortBy=createdTime`,
    `POST /api/v1/${object} {"subject":"Call"}`,
    `PATCH /api/v1/${object}/9 {"subject":"Call"}`,
    `POST /api/v1/${object}/moveToTrash {"${ids}":["9"]}`,
  ])
})

it.each([
  ['ticketComments', 'comments', 'PATCH'],
  ['ticketTimeEntries', 'timeEntry', 'PUT'],
])('%s are those of each ticket, which a write names', async (object, list, update) => {
  const desk = ({ method, url, body }: SeenRequest): Answer => {
    if (method !== 'GET') return { body: { id: '9', ...JSON.parse(body) } }
    if (url.searchParams.get('from') !== '0') return { status: 204 }
    if (url.pathname === '/api/v1/tickets') return { body: { data: [{ id: '1' }, { id: '2' }] } }
    return url.pathname === `/api/v1/tickets/2/${list}` ? { body: { data: [{ id: '7' }] } } : { status: 204 }
  }
  await using provider = await openProvider('zohoDesk', desk, options)
  const { connector, seen } = provider
  const found = await readAll(connector, { object, fields: ['ticketId'] })
  expect(found).toMatchObject([{ id: '7', fields: { ticketid: '2' } }])
  seen.length = 0
  await connector.write({ object, type: 'create', record: { ticketId: '2', content: 'Done' } })
  await connector.write({ object, type: 'update', id: '9', record: { ticketId: '2', content: 'Redone' } })
  expect(asked(seen)).toEqual([
    `POST /api/v1/tickets/2/${list} {"content":"Done"}`,
    `${update} /api/v1/tickets/2/${list}/9 {"content":"Redone"}`,
  ])
})

it('teams are in a list of another name; neither a team nor a contract can be deleted', async () => {
  const desk = ({ url }: SeenRequest): Answer =>
    url.searchParams.get('from') === '0' ? { body: { teams: [{ id: '3', name: 'Support' }] } } : { body: { teams: [] } }
  await using provider = await openProvider('zohoDesk', desk, options)
  const { connector, entry } = provider
  expect(await readAll(connector, { object: 'teams', fields: ['name'] })).toMatchObject([{ id: '3' }])
  for (const object of ['teams', 'contracts'])
    await expect(connector.write({ object, type: 'delete', id: '3', record: {} })).rejects.toMatchObject({
      class: 'unsupported_object',
    })
  expect(entry.objectScopes?.['']?.['contracts']?.read).toEqual([['Desk.contracts.READ', 'Desk.settings.READ']])
})

it('a search that ends where Zoho Desk ends it is not taken for all records', async () => {
  const found = ({ url }: SeenRequest): Answer => {
    const from = Number(url.searchParams.get('from'))
    if (from > 999) return { status: 422, body: { errorCode: 'UNPROCESSABLE_ENTITY', message: 'from' } }
    return { body: { data: Array.from({ length: 100 }, (_, at) => ({ id: String(from + at), status: 'Open' })) } }
  }
  await using provider = await openProvider('zohoDesk', found, options)
  const filters = [{ field: 'status', operator: 'eq', value: 'Open' } as const]
  const search = async () => {
    let page: string | undefined
    do {
      const request = { object: 'tickets', fields: [], filters, ...(page !== undefined && { page }) }
      page = (await provider.connector.search(request)).nextPage
    } while (page !== undefined)
  }
  await expect(search()).rejects.toMatchObject({ class: 'list_truncated' })
  expect(provider.seen).toHaveLength(10)
})

it.each([
  ['zoho', { module: 'desk' }],
  ['zohoDesk', {}],
  ['zohoBooks', {}],
] as const)('%s asks for a refresh token with each consent', async (name, given) => {
  const domains = { zoho_api_domain: 'www.zohoapis.uk', zoho_desk_domain: 'desk.zoho.uk' }
  const metadata = { orgId: '1', organizationId: '1', ...domains }
  await using provider = await openProvider(name, () => ({ status: 204 }), { ...given, metadata })
  expect(provider.entry.authentication[0]).toMatchObject({
    authUrlParams: { access_type: 'offline', prompt: 'consent' },
    scopeSeparator: ',',
  })
})

it('an account of another data center is reached there', async () => {
  await using provider = await openProvider('zohoDesk', () => ({ status: 204 }), options)
  const { entry } = provider
  const of = (dataCenter?: string) =>
    proxyBase(entry, { metadata: { orgId: '1', ...(dataCenter && { dataCenter }) } }).href
  expect([of(), of('zoho.eu'), of('zohocloud.ca')]).toEqual([
    'https://desk.zoho.com/api/v1',
    'https://desk.zoho.eu/api/v1',
    'https://desk.zohocloud.ca/api/v1',
  ])
})
