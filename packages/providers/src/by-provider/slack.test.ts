import { expect, it } from 'vitest'
import { eventNamesOf, parseEvents, recordIn } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'
import { entryFor } from '../webhook-cases/webhook-case.testkit.ts'

/** What docs.slack.dev/reference/methods shows as answers, as far as the provider file relies on it. */

function slack({ url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const page = searchParams.get('page')
  if (pathname === '/api/conversations.list')
    return { body: { ok: true, channels: [{ id: 'C1' }, { id: 'C2' }, { id: 'C3' }] } }
  if (pathname === '/api/files.list')
    return {
      body: { ok: true, files: [{ id: `F${page}` }], paging: { count: 1, total: 2, page: Number(page), pages: 2 } },
    }
  const channel = searchParams.get('channel')
  if (channel === 'C2') return { body: { ok: false, error: 'not_in_channel' } }
  const messages = [{ type: 'message', ts: '1512085950.000216', text: `of ${channel}` }]
  return { body: { ok: true, messages, has_more: false, response_metadata: { next_cursor: '' } } }
}

async function read(object: string) {
  await using provider = await openProvider('slack', slack)
  const since = new Date('2017-11-01T00:00:00Z')
  const records = await readAll(provider.connector, { object, fields: ['text'], since })
  const found = records.map(({ id, fields }) => [id, fields['text']])
  return { found, requests: asked(provider.seen) }
}

it('messages are read of each channel, and a channel that the app is not in is skipped', async () => {
  const { found, requests } = await read('messages')
  expect(found).toEqual([
    ['C1/1512085950.000216', 'of C1'],
    ['C3/1512085950.000216', 'of C3'],
  ])
  const histories = requests.filter((path) => path.includes('conversations.history'))
  expect(histories).toHaveLength(3)
  for (const path of histories) expect(path).toContain('oldest=1509494400&inclusive=true')
})

it('files are read page by page', async () => {
  const { found } = await read('files')
  expect(found.map(([id]) => id)).toEqual(['F1', 'F2'])
})

it('what Slack hides by default is listed: private channels, disabled groups, and invitations of every state', async () => {
  await using provider = await openProvider('slack', () => ({
    body: { ok: true, channels: [], usergroups: [], invites: [], invite_requests: [] },
  }))
  const objects = [
    'conversations',
    'usergroups',
    'conversations.requestSharedInvite',
    'conversations.listConnectInvites',
  ]
  for (const object of objects) await provider.connector.readPage({ object, fields: ['id'] })
  expect(asked(provider.seen)).toEqual([
    'GET /api/conversations.list?limit=200&types=public_channel',
    'GET /api/conversations.list?limit=200&types=private_channel',
    'GET /api/usergroups.list?include_disabled=true&include_users=true&include_count=true',
    'POST /api/conversations.requestSharedInvite.list?limit=200&include_approved=true&include_denied=true&include_expired=true',
    'POST /api/conversations.listConnectInvites?count=200',
  ])
})

it.each([
  [{ needed: 'groups:read', provided: 'channels:read,users:read' }, 'C1'],
  [{ needed: 'groups:read', provided: 'users:read' }, 'forbidden'],
  [{ needed: 'channels:read', provided: 'groups:read' }, 'forbidden'],
])('a refusal with %o: public channels are read if only private ones are refused', async (refusal, expected) => {
  await using provider = await openProvider('slack', ({ url }) => ({
    body:
      url.searchParams.get('types') === 'public_channel'
        ? { ok: true, channels: [{ id: 'C1' }] }
        : { ok: false, error: 'missing_scope', ...refusal },
  }))
  const found = readAll(provider.connector, { object: 'conversations', fields: ['id'] })
  expect(await found.then((records) => records.map(({ id }) => id).join(), String)).toContain(expected)
})

it('fields of conversations are those of public channels, if only private ones are refused', async () => {
  const refusal = { ok: false, error: 'missing_scope', needed: 'groups:read', provided: 'channels:read' }
  await using provider = await openProvider('slack', ({ url }) => ({
    body:
      url.searchParams.get('types') === 'public_channel'
        ? { ok: true, channels: [{ id: 'C1', name: 'all' }] }
        : refusal,
  }))
  const { fields } = await provider.connector.describeObject('conversations')
  expect(Object.keys(fields)).toEqual(['id', 'name'])
})

it('messages of archived channels are in full reads', async () => {
  await using provider = await openProvider('slack', slack)
  await readAll(provider.connector, { object: 'messages', fields: ['text'] })
  const { requests } = await read('messages')
  const archived = [provider.seen[0]?.url.search, requests[0]].map((text) => text?.includes('exclude_archived=true'))
  expect(archived).toEqual([false, true])
})

it('replies are read of each thread, without its first message', async () => {
  await using provider = await openProvider('slack', ({ url }): Answer => {
    const { pathname, searchParams } = url
    const [channel, ts] = [searchParams.get('channel'), searchParams.get('ts')]
    if (pathname === '/api/conversations.list') return { body: { ok: true, channels: [{ id: 'C1' }, { id: 'C2' }] } }
    const thread = { ts: '1.1', thread_ts: '1.1', reply_count: 1 }
    if (pathname === '/api/conversations.history') return { body: { ok: true, messages: [thread, { ts: '2.2' }] } }
    if (channel === 'C2') return { body: { ok: false, error: 'thread_not_found' } }
    return { body: { ok: true, messages: [thread, { ts: '3.3', thread_ts: ts, text: `in ${channel}` }] } }
  })
  const since = new Date('2017-11-01T00:00:00Z')
  const found = await readAll(provider.connector, { object: 'replies', fields: ['text', 'channel'], since })
  expect(found).toMatchObject([{ id: 'C1/3.3', fields: { text: 'in C1', channel: 'C1' } }])
  expect(asked(provider.seen).filter((line) => line.includes('replies'))).toEqual([
    'GET /api/conversations.replies?limit=200&channel=C1&ts=1.1&oldest=1509494400&inclusive=true',
    'GET /api/conversations.replies?limit=200&channel=C2&ts=1.1&oldest=1509494400&inclusive=true',
  ])
})

it('a channel is renamed', async () => {
  await using provider = await openProvider('slack', () => ({
    body: { ok: true, channel: { id: 'C1', name: 'news' } },
  }))
  await provider.connector.write({ object: 'conversations', type: 'update', id: 'C1', record: { name: 'news' } })
  expect(asked(provider.seen)).toEqual(['POST /api/conversations.rename {"name":"news","channel":"C1"}'])
})

// As npm's @slack/types describes them.
it.each([
  [{ type: 'message', channel_type: 'channel', channel: 'C1', ts: '3.3', text: 'a' }, 'message.channel', 'C1/3.3', 'a'],
  [
    {
      type: 'message',
      channel_type: 'channel',
      subtype: 'message_deleted',
      channel: 'C1',
      ts: '4.4',
      deleted_ts: '3.3',
    },
    'message.channel.message_deleted',
    'C1/3.3',
    undefined,
  ],
  [{ type: 'file_deleted', file_id: 'F1', channel_ids: ['C1'] }, 'file_deleted', 'F1', undefined],
  [{ type: 'subteam_updated', subteam: { id: 'S1', text: 'b' } }, 'subteam_updated', 'S1', 'b'],
])('an event of %o names its record', async (event, name, id, text) => {
  const { webhooks } = (await entryFor('slack')).file ?? {}
  if (webhooks === undefined) throw new Error('no webhooks')
  const payload = { type: 'event_callback', team_id: 'T1', event_id: 'E1', event_time: 1_700_000_000, event }
  expect(parseEvents(webhooks, payload, {})).toMatchObject([{ name, id, account: 'T1' }])
  const object = name.startsWith('message') ? 'messages' : 'usergroups'
  if (text !== undefined) expect(recordIn(webhooks, object, payload)).toMatchObject({ text })
})

it.each(['group', 'im', 'mpim', 'app_home', undefined])(
  'a message in a channel of type %s is no event',
  async (channel_type) => {
    const { webhooks } = (await entryFor('slack')).file ?? {}
    if (webhooks === undefined) throw new Error('no webhooks')
    const names = Object.values(eventNamesOf(webhooks, 'messages') ?? {}).flat()
    const nameOf = (type?: string, subtype?: string) =>
      parseEvents(
        webhooks,
        { event: { type: 'message', subtype, channel_type: type, channel: 'D1', ts: '1.1' } },
        {},
      )[0]?.name
    expect(names).toContain(nameOf('channel'))
    expect(names).toContain(nameOf('channel', 'bot_message'))
    for (const subtype of [undefined, 'bot_message', 'file_share', 'message_deleted'])
      expect(names).not.toContain(nameOf(channel_type, subtype))
  },
)
