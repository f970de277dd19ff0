import { expect, it } from 'vitest'
import { proxyBase } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What api.jotform.com/docs shows as answers, as far as the provider file relies on it. */

const times = ['2026-01-02 03:38:00', '2025-12-31 20:00:00', '2020-01-01 00:00:00']

function jotform({ method, url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const from = Number(searchParams.get('offset'))
  const size = Number(searchParams.get('limit'))
  if (method === 'DELETE') return { body: { responseCode: 200, message: 'success', content: 'Deleted.' } }
  if (pathname === '/user/reports') return { body: { responseCode: 200, content: [{ id: 'r1' }] } }
  if (pathname === '/submission/5') return { body: { responseCode: 200, content: { id: '5', answers: {} } } }
  if (!(size >= 1 && size <= 1000))
    return { status: 404, body: { responseCode: 404, message: 'Requested URL is wrong' } }
  const content = times.map((updated_at, at) => ({ id: String(at), updated_at })).slice(from, from + size)
  return { body: { responseCode: 200, message: 'success', content, resultSet: { offset: from, limit: size } } }
}

const open = () => openProvider('jotform', jotform, { credential: { scheme: 'apiKey', apiKey: 'key' } })

it('forms are read to the last page, and a window begins a day early', async () => {
  await using provider = await open()
  const request = { object: 'forms', fields: [], pageSize: 2 }
  expect((await readAll(provider.connector, request)).map(({ id }) => id)).toEqual(['0', '1', '2'])
  expect(provider.seen.map(({ url }) => url.searchParams.get('offset'))).toEqual(['0', '2'])
  const since = new Date('2026-01-01T00:00:00Z')
  expect((await readAll(provider.connector, { ...request, since })).map(({ id }) => id)).toEqual(['0', '1'])
  expect((await readAll(provider.connector, { object: 'reports', fields: [] })).map(({ id }) => id)).toEqual(['r1'])
})

it('a submission is read by its id, and deleted', async () => {
  await using provider = await open()
  const { connector } = provider
  expect(await connector.fetchRecord('submissions', '5', 'all')).toMatchObject({ id: '5' })
  expect(await connector.write({ object: 'submissions', type: 'delete', id: '5', record: {} })).toMatchObject({
    success: true,
  })
  expect(asked(provider.seen).map((line) => line.replace('?apiKey=key', ''))).toEqual([
    'GET /submission/5',
    'DELETE /submission/5',
  ])
})

it('accounts in the EU have another host; others need not name one', async () => {
  await using provider = await openProvider('jotform', () => ({ body: {} }))
  const hostFor = (metadata: Record<string, string>) => proxyBase(provider.entry, { metadata }).host
  expect([hostFor({}), hostFor({ apiHost: 'eu-api.jotform.com' })]).toEqual(['api.jotform.com', 'eu-api.jotform.com'])
})

it('the end of the quota of a day is a limit, although its status is 403', async () => {
  const refuse = (message: string) => () => ({ status: 403, body: { responseCode: 403, message, content: '' } })
  await using limited = await openProvider('jotform', refuse('API-Limit exceeded'))
  const read = { object: 'forms', fields: [] }
  await expect(limited.connector.readPage(read)).rejects.toMatchObject({ class: 'rate_limited' })
  await using refused = await openProvider('jotform', refuse('You are not authorized to use (/user/forms)'))
  await expect(refused.connector.readPage(read)).rejects.toMatchObject({ class: 'forbidden' })
})
