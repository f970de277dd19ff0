import { expect, it } from 'vitest'
import { eventNamesOf, parseEvents, webhooksOf } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.atlassian.com/cloud/trello/rest shows as answers, as far as the provider file relies on it. */

const cards: Record<string, object[]> = {
  b1: [
    { id: 'c1', name: 'Old', closed: true, dateLastActivity: '2025-12-31T00:00:00.000Z' },
    { id: 'c2', name: 'New', closed: false, dateLastActivity: '2026-01-02T00:00:00.000Z' },
  ],
  b3: [{ id: 'c3', name: 'Other', closed: false, dateLastActivity: '2026-01-03T00:00:00.000Z' }],
}

function trello({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (searchParams.get('key') !== 'k1' || searchParams.get('token') !== 't1')
    return { status: 401, body: 'invalid key' }
  if (pathname === '/1/members/me/boards' && searchParams.get('filter') !== 'all')
    throw new Error('what is archived is missing')
  if (pathname === '/1/members/me/boards') return { body: ['b1', 'b2', 'b3'].map((id) => ({ id })) }
  const board = /^\/1\/boards\/(\w+)\/cards\/all$/.exec(pathname)?.[1]
  if (board !== undefined) return cards[board] ? { body: cards[board] } : { status: 404, body: 'board not found' }
  if (method === 'DELETE') return { body: { limits: {} } }
  const sent = JSON.parse(body) as { idList?: string }
  return method === 'POST' && sent.idList === undefined
    ? { status: 400, body: 'invalid value for idList' }
    : { body: { id: 'c4', ...sent } }
}

const options = { credential: { scheme: 'custom', values: { key: 'k1', token: 't1' } } } as const

async function idsOf(since?: Date) {
  await using provider = await openProvider('trello', trello, options)
  const more = { ...(since && { since }) }
  const ids = (await readAll(provider.connector, { object: 'cards', fields: ['name', 'idBoard'], ...more })).map(
    ({ id, fields }) => `${fields['idboard']} ${id}`,
  )
  return ids
}

it('cards are read for each board, archived ones too; those that did not change are left out of a window', async () => {
  expect(await idsOf()).toEqual(['b1 c1', 'b1 c2', 'b3 c3'])
  expect(await idsOf(new Date('2026-01-01T00:00:00Z'))).toEqual(['b1 c2', 'b3 c3'])
})

it('a board with too many cards for a response is an error, not skipped like a board without access', async () => {
  const error = { error: 'API_TOO_MANY_CARDS_REQUESTED', message: 'Too many cards' }
  const answer = ({ url }: SeenRequest): Answer =>
    url.pathname.endsWith('/cards/all') ? { status: 403, body: error } : { body: [{ id: 'b1' }] }
  await using provider = await openProvider('trello', answer, options)
  const read = provider.connector.readPage({ object: 'cards', fields: 'all' })
  await expect(read).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'Too many cards' })
})

it('cards are created, changed and deleted; a refusal in plain text says why', async () => {
  await using provider = await openProvider('trello', trello, options)
  const { connector, seen } = provider
  const record = { name: 'Write', idList: 'l1' }
  expect(await connector.write({ object: 'cards', type: 'create', record })).toMatchObject({ recordId: 'c4' })
  await connector.write({ object: 'cards', type: 'update', id: 'c4', record: { closed: true } })
  await connector.write({ object: 'cards', type: 'delete', id: 'c4', record: {} })
  expect(seen.map(({ method, url, body }) => [method, url.pathname, body])).toEqual([
    ['POST', '/1/cards', '{"name":"Write","idList":"l1"}'],
    ['PUT', '/1/cards/c4', '{"closed":true}'],
    ['DELETE', '/1/cards/c4', ''],
  ])
  const refused = connector.write({ object: 'cards', type: 'create', record: { name: 'Write' } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'invalid value for idList' })
})

it('a check item that is made, changed, ticked or deleted changes its checklist', async () => {
  await using provider = await openProvider('trello', trello, options)
  const webhooks = webhooksOf(provider.entry, undefined)
  if (webhooks === undefined) throw new Error('no webhooks')
  const data = { card: { id: 'c' }, checklist: { id: 'k' }, checkItem: { id: 'i', state: 'complete' } }
  for (const type of ['createCheckItem', 'updateCheckItem', 'updateCheckItemStateOnCard', 'deleteCheckItem']) {
    expect(parseEvents(webhooks, { action: { id: '3', type, data } }, {})).toMatchObject([{ name: type, id: 'k' }])
    expect(eventNamesOf(webhooks, 'checklists')?.update).toContain(type)
  }
})
