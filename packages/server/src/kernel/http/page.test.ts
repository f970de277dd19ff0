import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { beforeEach, expect, test } from 'vitest'
import { endpoint, PageQuery, Path, ProjectPath, pageOf, Ref, reply } from './index.ts'
import { projectId, startTestServer, type TestServer } from './test-server.testkit.ts'

const idOf = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
let things: number[]

/** Newest first, as the lists of the service are. */
const list = async ({ after, limit }: { after: string | undefined; limit: number | undefined }) =>
  things
    .toSorted((a, b) => b - a)
    .filter((n) => after === undefined || idOf(n) < after)
    .slice(0, limit)
    .map((n) => ({ id: idOf(n), n }))

const options = { list, keyOf: ({ id }: { id: string }) => id }
const items = Type.Array(Type.Object({ id: Type.String(), n: Type.Integer() }))
const declare = (id: string, path: string, more: { pageSizeDefault?: number } = {}) =>
  endpoint({
    id,
    method: 'GET',
    path,
    access: 'develop',
    summary: 'x',
    tag: 'x',
    params: Path({ ...ProjectPath.properties, kind: Ref }),
    query: Type.Object({ ...PageQuery, color: Type.Optional(Type.String()) }),
    reply: { 200: items },
    run: async (input) => {
      const page = await pageOf(input, { ...options, ...more })
      return reply(200, page.items, page.headers)
    },
  })

let server: TestServer
beforeEach(async () => {
  things = Array.from({ length: 250 }, (_, n) => n)
  server = await startTestServer([
    declare('listThings', '/projects/{projectIdOrName}/{kind}/things'),
    declare('listOthers', '/projects/{projectIdOrName}/{kind}/others'),
    declare('listMany', '/projects/{projectIdOrName}/{kind}/many', { pageSizeDefault: 10 }),
  ])
})

const numbers = (body: unknown) => (body as { n: number }[]).map(({ n }) => n)
const base = '/v1/projects/shop/a/things'

test('a list is whole, and says nothing of pages, until pages are asked for', async () => {
  const { status, body, headers } = await server.call('GET', base)
  expect([status, numbers(body).length]).toEqual([200, 250])
  expect([headers.get('link'), headers.get('x-next-page-token')]).toEqual([null, null])
})

test('pages follow each other by the link, and the last one has none', async () => {
  const seen: number[] = []
  const sizes: number[] = []
  let url: string | undefined = `${base}?color=red&pageSize=120`
  while (url !== undefined) {
    const { body, headers } = await server.call('GET', url)
    seen.push(...numbers(body))
    sizes.push(numbers(body).length)
    const link: string | undefined = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    expect(link === undefined).toBe(headers.get('x-next-page-token') === null)
    if (link) expect(new URL(link, server.url).searchParams.get('color')).toBe('red')
    url = link
  }
  expect(sizes).toEqual([120, 120, 10])
  expect(seen).toEqual(things.toReversed())
})

test('what is added or removed meanwhile neither repeats nor hides another item', async () => {
  const first = await server.call('GET', `${base}?pageSize=100`)
  const token = first.headers.get('x-next-page-token')
  things = things.filter((n) => n !== 150 && n !== 149)
  things.push(900, 901)
  const second = await server.call('GET', `${base}?pageSize=100&pageToken=${token}`)
  expect(numbers(second.body)).toEqual(Array.from({ length: 100 }, (_, n) => 148 - n))
})

test('a token alone goes on with pages of the usual size', async () => {
  const token = (await server.call('GET', `${base}?pageSize=5`)).headers.get('x-next-page-token')
  expect(numbers((await server.call('GET', `${base}?pageToken=${token}`)).body)).toHaveLength(100)
})

test('a list that is never whole has pages of its own size', async () => {
  const answer = await server.call('GET', '/v1/projects/shop/a/many')
  expect(numbers(answer.body)).toHaveLength(10)
  expect(answer.headers.get('x-next-page-token')).toBeTruthy()
})

test('a token of another list, of other filters, or changed is refused', async () => {
  const token = (await server.call('GET', `${base}?pageSize=5&color=red`)).headers.get('x-next-page-token') ?? ''
  const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
  for (const url of [
    `/v1/projects/shop/a/others?pageSize=5&color=red&pageToken=${token}`,
    `${base}?pageSize=5&color=blue&pageToken=${token}`,
    `${base}?pageSize=5&pageToken=${token}`,
    `${base}?pageSize=5&color=red&pageToken=${changed}`,
    `${base}?pageSize=5&color=red&pageToken=nonsense`,
    `${base}?pageSize=5&color=red&pageToken=`,
  ]) {
    const { status, body } = await server.call('GET', url)
    expect([url, status, body.issues?.map(({ in: part, name }) => [part, name])]).toEqual([
      url,
      400,
      [['query', 'pageToken']],
    ])
  }
  // The project by its id instead of its name is the same list.
  const same = `/v1/projects/${projectId}/a/things?pageSize=9&color=red&pageToken=${token}`
  expect((await server.call('GET', same)).status).toBe(200)
})

test.each(['0', '1001', '-1', 'many', '1.5'])('a page size of %s is refused', async (pageSize) => {
  const { status, body } = await server.call('GET', `${base}?pageSize=${pageSize}`)
  expect([status, body.issues[0]?.name]).toEqual([400, 'pageSize'])
})

test('a token that holds what no database takes is refused, whatever may be a key', async () => {
  const key = 'a\0b'
  const tag = hash('sha256', JSON.stringify(['listOthers', [], key]), 'buffer').subarray(0, 9)
  const forged = Buffer.concat([tag, Buffer.from(key)]).toString('base64url')
  const input = { operationId: 'listOthers', url: '/', query: { pageToken: forged } }
  await expect(pageOf(input, { ...options, isKey: () => true })).rejects.toThrow('not valid')
})
