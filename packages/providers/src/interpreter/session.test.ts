import { expect, it } from 'vitest'
import type { LiveCredential } from '../connector.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { createConnector } from './create-connector.ts'

/** A credential that is known by its generation; `good` are the ones that the provider takes. */
function renewed({ canRenew }: { canRenew: boolean }) {
  const state = { generation: 1, good: 1, refusals: [] as number[] }
  const credential: LiveCredential = {
    authenticate: async () => ({
      headers: { 'x-api-key': `key-${state.generation}` },
      query: {},
      secrets: [`key-${state.generation}`],
      generation: state.generation,
    }),
    async refused(generation) {
      state.refusals.push(generation)
      if (!canRenew) return false
      if (state.generation === generation) state.generation++
      return true
    },
  }
  return { state, credential }
}

const read = `read:
  path: /things
  records: data
  query: { after: '{{cursor}}' }
  paging: { kind: cursor, next: next }`

async function reading(canRenew: boolean) {
  const { state, credential } = renewed({ canRenew })
  const server = await startServer(({ headers, url }) => {
    const key = Number(headers['x-api-key']?.slice('key-'.length))
    if (key !== state.good) return { status: 401, body: { message: `key-${key} has ended` } }
    const page = Number(url.searchParams.get('after') ?? '1')
    return { body: { data: [{ id: page }], ...(page < 3 && { next: String(page + 1) }) } }
  })
  const entry = thingsProvider(read)
  const connector = createConnector(entry, { metadata: { baseUrl: server.origin }, credential }, plainHttp(fetch))
  return { state, server, connector }
}

it('every page carries the credential of now, and a refused one is replaced and the request sent once more', async () => {
  const { state, server, connector } = await reading(true)
  await using _ = server
  const request = { object: 'things', fields: 'all' } as const
  const first = await connector.readPage(request)
  // It ends between two pages: once unnoticed, once renewed beforehand.
  state.good = 2
  const second = await connector.readPage({ ...request, page: first.nextPage! })
  state.generation = state.good = 3
  const third = await connector.readPage({ ...request, page: second.nextPage! })
  expect([first, second, third].flatMap(({ records }) => records.map(({ raw }) => raw['id']))).toEqual([1, 2, 3])
  expect(server.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['key-1', 'key-1', 'key-2', 'key-3'])
  expect(state.refusals).toEqual([1])
})

it.each([true, false])('a request is refused for good after one replay (another credential: %s)', async (canRenew) => {
  const { state, server, connector } = await reading(canRenew)
  await using _ = server
  state.good = 99
  const error = await connector.readPage({ object: 'things', fields: 'all' }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ class: 'auth_invalidated', status: 401 })
  expect(JSON.stringify(error)).not.toContain('key-')
  expect(server.seen).toHaveLength(canRenew ? 2 : 1)
  expect(state.refusals).toEqual(canRenew ? [1, 2] : [1])
})
