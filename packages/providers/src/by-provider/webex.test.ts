import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.webex.com/docs/api/v1 shows as answers, as far as the provider file relies on it. */

function webex({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') {
    const sent = JSON.parse(body) as { title?: string }
    const message = 'title is required'
    return sent.title === undefined
      ? { status: 400, body: { message, errors: [{ description: message }], trackingId: 'T' } }
      : { body: { id: 'r9', ...sent } }
  }
  switch (pathname) {
    case '/v1/rooms': {
      if (searchParams.has('cursor')) return { body: { items: [{ id: 'r2' }] } }
      const link = '<https://webexapis.com/v1/rooms?cursor=c2&max=1000>; rel="next"'
      return { body: { items: [{ id: 'r1' }] }, headers: { link } }
    }
    case '/v1/messages': {
      if (searchParams.get('roomId') === 'r2') return { status: 404, body: { message: 'No such room.' } }
      const created = ['2026-01-02T00:00:00.000Z', '2025-01-02T00:00:00.000Z']
      return { body: { items: created.map((time, at) => ({ id: `m${at}`, created: time })) } }
    }
    default:
      return {
        body: {
          items: [
            { id: 'p1', emails: ['ada@example.com'] },
            { id: 'p2', emails: ['bo@example.com'] },
          ],
        },
      }
  }
}

it('rooms are read to the last page', async () => {
  await using provider = await openProvider('webex', webex)
  const records = await readAll(provider.connector, { object: 'rooms', fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['r1', 'r2'])
  expect(asked(provider.seen)).toEqual(['GET /v1/rooms?max=1000&sortBy=created', 'GET /v1/rooms?cursor=c2&max=1000'])
})

it('messages of every room are read, those of a window', async () => {
  await using provider = await openProvider('webex', webex)
  const since = new Date('2026-01-01T00:00:00Z')
  const records = await readAll(provider.connector, { object: 'messages', fields: [], since })
  expect(records.map(({ id }) => id)).toEqual(['m0'])
})

it('memberships of every person in a room are read', async () => {
  const list = ({ url }: SeenRequest): Answer => {
    if (url.pathname === '/v1/rooms') return { body: { items: [{ id: 'r1' }, { id: 'r2' }] } }
    const room = url.searchParams.get('roomId')
    const people = room === null ? ['me'] : ['me', 'ada']
    return { body: { items: people.map((person) => ({ id: `${person} in ${room ?? 'all'}` })) } }
  }
  await using provider = await openProvider('webex', list)
  const records = await readAll(provider.connector, { object: 'memberships', fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['me in r1', 'ada in r1', 'me in r2', 'ada in r2'])
})

it('people are found by an email address', async () => {
  await using provider = await openProvider('webex', webex)
  const search = (field: string) =>
    provider.connector.search({
      object: 'people',
      fields: [],
      filters: [{ field, operator: 'eq', value: 'ada@example.com' }],
    })
  expect((await search('emails')).records.map(({ id }) => id)).toEqual(['p1'])
  expect(asked(provider.seen)).toEqual(['GET /v1/people?max=1000&email=ada@example.com'])
  await expect(search('nickName')).rejects.toMatchObject({ name: 'FieldsNotSearchable' })
})

it('rooms are created, changed and deleted; a refusal says why', async () => {
  await using provider = await openProvider('webex', webex)
  const { connector } = provider
  const object = 'rooms'
  expect(await connector.write({ object, type: 'create', record: { title: 'A' } })).toMatchObject({ recordId: 'r9' })
  await connector.write({ object, type: 'update', id: 'r9', record: { title: 'B' } })
  await connector.write({ object, type: 'delete', id: 'r9', record: {} })
  expect(asked(provider.seen)).toEqual([
    'POST /v1/rooms {"title":"A"}',
    'PUT /v1/rooms/r9 {"title":"B"}',
    'DELETE /v1/rooms/r9',
  ])
  const refused = connector.write({ object, type: 'create', record: {} })
  await expect(refused).rejects.toMatchObject({ providerMessage: 'title is required' })
})
