import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from './testing/open-provider.testkit.ts'

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
