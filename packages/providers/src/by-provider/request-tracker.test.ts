import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { attachCredential, createConnector, type LiveCredential } from '../index.ts'
import { type Answer, plainHttp, startServer, type TestServer } from '../testing/http-server.testkit.ts'
import { readAll } from '../testing/open-provider.testkit.ts'
import { entryOf } from '../testing/provider.testkit.ts'

const entry = entryOf(await readFile(new URL('../../providers/requestTracker.yaml', import.meta.url), 'utf8'))

function connect(server: TestServer) {
  const attached = attachCredential(entry.authentication, { scheme: 'apiKey', apiKey: '1-14-token' })
  const credential: LiveCredential = {
    authenticate: async () => ({ ...attached, generation: 0 }),
    refused: async () => false,
  }
  const metadata = { url: server.origin, timeZone: 'America/New_York' }
  return createConnector(entry, { metadata, credential }, plainHttp(fetch))
}

const nothing: Answer = { body: { items: [], total: 0 } }

it('a window is written in the time zone of the user; a full read has none', async () => {
  await using server = await startServer(() => nothing)
  const connector = connect(server)
  await readAll(connector, { object: 'tickets', fields: 'all' })
  await readAll(connector, { object: 'tickets', fields: 'all', since: new Date('2026-07-02T12:00:00Z') })
  await readAll(connector, { object: 'tickets', fields: 'all', since: new Date('2026-12-02T12:00:00Z') })
  expect(server.seen.map(({ url }) => url.searchParams.get('query'))).toEqual([
    'id > 0',
    "LastUpdated >= '2026-07-02 08:00:00'",
    "LastUpdated >= '2026-12-02 07:00:00'",
  ])
  expect(server.seen[0]?.headers['authorization']).toBe('token 1-14-token')
})

it('a value of a search cannot change the query', async () => {
  await using server = await startServer(() => nothing)
  const filters = [{ field: 'Subject', operator: 'eq', value: "x' OR id > 0 OR Subject = '\\" }] as const
  await connect(server).search({ object: 'tickets', fields: 'all', filters })
  expect(server.seen[0]?.url.searchParams.get('query')).toBe(String.raw`Subject = 'x\' OR id > 0 OR Subject = \'\\'`)
})

it.each([
  "Ticket 7: Status 'no' isn't a valid status for this ticket.",
  'Ticket 7: Permission Denied',
  'Ticket 7: That user may not own tickets in that queue',
  'Ticket 7: Queue Nowhere does not exist',
  'Queue Sales: Illegal value for Name',
  'User ada: Email address in use',
  'Invalid value for custom field',
])('an update with the sentence “%s” among others is refused with it', async (sentence) => {
  await using server = await startServer(() => ({ body: ["Ticket 7: Subject changed from 'a' to 'b'", sentence] }))
  const update = connect(server).write({ object: 'tickets', type: 'update', id: '7', record: { Subject: 'b' } })
  await expect(update).rejects.toMatchObject({ class: 'bad_request', errors: [{ message: sentence }] })
})

it.each([
  [[]],
  [["Ticket 7: Subject changed from 'Ticket 7: Permission Denied' to 'Invalid value'"]],
  [['Ticket 7: Owner changed from Nobody to ada', 'Invalid added', 'north added as a value for Areas']],
])('an update with the sentences %j is one', async (body) => {
  await using server = await startServer(() => ({ body }))
  const update = { object: 'tickets', type: 'update', id: '7', record: { Subject: 'b' } } as const
  expect(await connect(server).write(update)).toMatchObject({ success: true, recordId: '7' })
})

it('a new user has the id of the header: the body has the name in its place', async () => {
  await using server = await startServer(() => ({
    status: 201,
    headers: { location: '/REST/2.0/user/61' },
    body: { type: 'user', id: 'ada', _url: 'https://rt.example.com/REST/2.0/user/ada' },
  }))
  const made = await connect(server).write({ object: 'users', type: 'create', record: { Name: 'ada' } })
  expect(made).toMatchObject({ recordId: '61' })
})

it('a deletion disables a user', async () => {
  await using server = await startServer(() => ({ status: 204 }))
  await connect(server).write({ object: 'users', type: 'delete', id: '7', record: {} })
  expect(server.seen.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual(['DELETE /REST/2.0/user/7'])
})
