import { expect, it } from 'vitest'
import type { ReadPageRequest } from '../connector.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { createConnector } from './create-connector.ts'

/** Lists of deleted records that do not go back to the beginning of a window, or that are cut. */

const day = 86_400_000
const begun = Date.parse('2026-03-31T00:00:00Z')

const file = `
read: { path: /things, records: items }
incremental: { read: { query: { since: '{{since}}', until: '{{until}}' } } }
deletions:
  reach: 10
  list:
    path: /trash
    query: { from: '{{since}}', cursor: '{{cursor}}' }
    paging: { kind: cursor, next: next, recordsMax: 3 }`

/** Reads to the end while an hour passes with each page. A deleted record has a minus. */
async function readFrom(since: number, trash: (request: SeenRequest) => object, until = begun) {
  const answer = (request: SeenRequest): Answer => ({
    body: request.url.pathname === '/api/trash' ? trash(request) : { items: [{ id: 1 }] },
  })
  await using server = await startServer(answer)
  let hours = 0
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } as const }
  const connector = createConnector(thingsProvider(file), connection, plainHttp(fetch), {
    now: () => begun + hours * 3_600_000,
  })
  const request: ReadPageRequest = {
    object: 'things',
    fields: [],
    since: new Date(since),
    until: new Date(until),
    deletions: true,
  }
  const ids: string[] = []
  const missed: (string | undefined)[] = []
  for (let page: string | undefined; hours < 9; hours += 1) {
    const found = await connector.readPage({ ...request, ...(page !== undefined && { page }) })
    ids.push(...found.records.map(({ id, deleted }) => `${deleted === true ? '-' : ''}${id}`))
    missed.push(found.missedDeletions)
    page = found.nextPage
    if (page === undefined) break
  }
  const from = server.seen.flatMap(({ url }) => url.searchParams.get('from') ?? [])
  return { ids, missed, from }
}

const twoPages = ({ url }: SeenRequest) =>
  url.searchParams.has('cursor') ? { items: [{ id: 3 }] } : { items: [{ id: 2 }], next: 'c' }
const tenDaysAgo = '2026-03-21T01:00:00.000Z'

it('a window within the reach is read as it is, and misses nothing', async () => {
  expect(await readFrom(begun - 2 * day, twoPages)).toEqual({
    ids: ['1', '-2', '-3'],
    missed: [undefined, undefined],
    from: ['2026-03-29T00:00:00.000Z', '2026-03-29T00:00:00.000Z'],
  })
})

it('of a longer window, every page of the list begins at the same time, and the last one says what is missing', async () => {
  expect(await readFrom(begun - 40 * day, twoPages)).toEqual({
    ids: ['1', '-2', '-3'],
    missed: [undefined, 'test reports deletions of the last 10 days only.'],
    from: [tenDaysAgo, tenDaysAgo],
  })
})

it('for a window that ended before, the list is not requested', async () => {
  expect(await readFrom(begun - 40 * day, twoPages, begun - 20 * day)).toEqual({
    ids: ['1'],
    missed: ['test reports deletions of the last 10 days only.'],
    from: [],
  })
})

it('a list that is refused leaves the other records readable, and the read says so', async () => {
  const answer = ({ url }: SeenRequest): Answer =>
    url.pathname === '/api/trash' ? { status: 403 } : { body: { items: [{ id: 1 }] } }
  await using server = await startServer(answer)
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } as const }
  const connector = createConnector(thingsProvider(file), connection, plainHttp(fetch), { now: () => begun })
  const window = { since: new Date(begun - day), until: new Date(begun), deletions: true }
  expect(await connector.readPage({ object: 'things', fields: [], ...window })).toMatchObject({
    records: [{ id: '1' }],
    nextPage: undefined,
    missedDeletions: expect.stringContaining('refuses the list of deleted records'),
  })
})

it('a list that reaches the limit of the provider ends the read without an error, and says so', async () => {
  const endless = () => ({ items: [{ id: 2 }, { id: 3 }, { id: 4 }], next: 'c' })
  expect(await readFrom(begun - 2 * day, endless)).toMatchObject({
    ids: ['1', '-2', '-3', '-4'],
    missed: [undefined, 'The provider returns at most 3 records of this list, and it may have more.'],
  })
})
