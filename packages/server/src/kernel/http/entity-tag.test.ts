import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { beforeEach, expect, test } from 'vitest'
import { endpoint, MapOf, ProjectPath, problem, reply, secret } from './index.ts'
import { startTestServer, type TestServer } from './test-server.testkit.ts'

let name = 'first'
const Gone = problem({ code: 'gone', status: 410, title: 'Gone', detail: 'Gone.', retryable: false, subsystem: 'x' })
const common = { summary: 'x', tag: 'x', params: ProjectPath } as const
const body = Type.Object({ name: Type.String() })
let shown: unknown = {}
const key = Type.Optional(secret(Type.String()))
const Holder = Type.Object({ name: Type.String(), key })
const endpoints = [
  endpoint({
    ...common,
    id: 'getThing',
    method: 'GET',
    path: '/projects/{projectIdOrName}/thing',
    access: 'develop',
    reply: { 200: body },
    run: async () => {
      if (name === 'gone') throw new Gone()
      return reply(200, { name })
    },
  }),
  endpoint({
    ...common,
    id: 'postThing',
    method: 'POST',
    path: '/projects/{projectIdOrName}/thing',
    access: 'develop',
    reply: { 200: body },
    run: async () => reply(200, { name }),
  }),
  endpoint({
    ...common,
    id: 'getOpen',
    method: 'GET',
    path: '/projects/{projectIdOrName}/open',
    access: 'public',
    reply: { 200: body },
    run: async () => reply(200, { name }),
  }),
  endpoint({
    ...common,
    id: 'getFile',
    method: 'GET',
    path: '/projects/{projectIdOrName}/file',
    access: 'develop',
    produces: 'text/plain',
    reply: { 200: Type.String() },
    run: async () => reply(200, Readable.from(['a', 'b'])),
  }),
  endpoint({
    ...common,
    id: 'getSecret',
    method: 'GET',
    path: '/projects/{projectIdOrName}/secret',
    access: 'develop',
    reply: { 200: body },
    run: async () => reply(200, { name }, { 'cache-control': 'no-store' }),
  }),
  ...(['GET', 'POST'] as const).map((method) =>
    endpoint({
      ...common,
      id: `${method}Holders`,
      method,
      path: '/projects/{projectIdOrName}/holders',
      access: 'develop',
      reply: {
        200: Type.Object({
          one: Type.Optional(Holder),
          many: Type.Optional(Type.Array(Holder)),
          named: Type.Optional(MapOf(Type.Union([Type.Null(), Holder]))),
        }),
      },
      run: async () => reply(200, shown as object),
    }),
  ),
]

let server: TestServer
beforeEach(async () => {
  name = 'first'
  server = await startTestServer(endpoints)
})
const get = (headers: Record<string, string> = {}) => server.call('GET', '/v1/projects/shop/thing', { headers })

test('an answer has a strong tag, the same while it is the same, and is kept by its caller alone', async () => {
  const first = await get()
  expect(first.headers.get('etag')).toMatch(/^"[\w-]{43}"$/)
  expect(first.headers.get('cache-control')).toBe('private, no-cache')
  expect((await get()).headers.get('etag')).toBe(first.headers.get('etag'))
  name = 'second'
  expect((await get()).headers.get('etag')).not.toBe(first.headers.get('etag'))
})

test.each([(tag: string) => tag, (tag: string) => `W/${tag}`, (tag: string) => `"a,b", ${tag},"c"`, () => '*'])(
  'who has it is told so, with an empty body (%s)',
  async (headerOf) => {
    const tag = (await get()).headers.get('etag') ?? ''
    const again = await get({ 'if-none-match': headerOf(tag) })
    expect([again.status, again.text]).toEqual([304, ''])
    expect(again.headers.get('etag')).toBe(tag)
    expect(again.headers.get('cache-control')).toBe('private, no-cache')
    expect(again.headers.get('content-type')).toBeNull()
    expect(again.headers.get('x-request-id')).toBeTruthy()
    expect(again.headers.get('access-control-allow-origin')).toBe('*')
  },
)

test.each(['"other"', 'nonsense', ''])('who has something else gets it whole (%s)', async (header) => {
  expect(await get({ 'if-none-match': header })).toMatchObject({ status: 200, body: { name: 'first' } })
})

test('a changed answer comes whole', async () => {
  const tag = (await get()).headers.get('etag') ?? ''
  name = 'second'
  expect(await get({ 'if-none-match': tag })).toMatchObject({ status: 200, body: { name: 'second' } })
})

test('HEAD answers the same tag', async () => {
  const tag = (await get()).headers.get('etag') ?? ''
  const head = await server.call('HEAD', '/v1/projects/shop/thing')
  expect([head.status, head.headers.get('etag')]).toEqual([200, tag])
  expect((await server.call('HEAD', '/v1/projects/shop/thing', { headers: { 'if-none-match': tag } })).status).toBe(304)
})

test('problems, changes, streams and what is open to anybody have none', async () => {
  name = 'gone'
  const gone = await get({ 'if-none-match': '*' })
  expect([gone.status, gone.headers.get('etag')]).toEqual([410, null])
  name = 'first'
  for (const [method, path] of [
    ['POST', 'thing'],
    ['GET', 'open'],
    ['GET', 'file'],
  ] as const) {
    const answer = await server.call(method, `/v1/projects/shop/${path}`, { headers: { 'if-none-match': '*' } })
    expect([path, answer.status, answer.headers.get('etag')]).toEqual([path, 200, null])
  }
})

test('an endpoint may forbid keeping its answer', async () => {
  const { headers } = await server.call('GET', '/v1/projects/shop/secret')
  expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null])
})

test.each(['GET', 'POST'])('an answer to %s is not kept when it shows a secret, wherever in it', async (method) => {
  const [open, closed] = [{ name: 'x' }, { name: 'x', key: 'k' }]
  for (const [body, isShown] of [
    [{ one: closed }, true],
    [{ one: open, many: [open, closed] }, true],
    [{ named: { a: null, b: closed } }, true],
    [{ one: open, many: [open], named: { a: null, b: open } }, false],
    [{}, false],
  ] as const) {
    shown = body
    const { headers, status } = await server.call(method, '/v1/projects/shop/holders')
    expect(status).toBe(200)
    expect(headers.get('cache-control'), JSON.stringify(body)).toBe(
      isShown ? 'no-store' : method === 'GET' ? 'private, no-cache' : null,
    )
    expect(headers.has('etag')).toBe(!isShown && method === 'GET')
  }
})
