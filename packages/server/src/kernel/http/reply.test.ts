import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { Endpoint } from './endpoint.ts'
import { Empty, endpoint, FreeForm, jsonReply, MapOf, reply, Timestamp } from './index.ts'
import { startTestServer } from './test-server.testkit.ts'

const base = { method: 'GET', path: '/thing', access: 'develop', summary: 'x', tag: 'Test' } as const

const get = async (endpoint: Endpoint<unknown>) => (await startTestServer([endpoint])).call('GET', '/v1/thing')

test('what is not declared is left out, and free-form objects are kept whole', async () => {
  const free = { a: { b: [1, null, { c: 'ü' }] }, 'key with: everything"': true, list: [[[]]], none: null }
  const body = {
    id: '1',
    secret: 'x',
    free,
    map: { one: { n: 1, secret: 'x' } },
    items: [{ n: 1, secret: 'x' }],
  }
  const N = Type.Object({ n: Type.Integer() })
  const answer = await get(
    endpoint({
      ...base,
      id: 'get',
      reply: { 200: Type.Object({ id: Type.String(), free: FreeForm, map: MapOf(N), items: Type.Array(N) }) },
      run: async () => reply(200, body),
    }),
  )
  expect(answer.body).toEqual({ id: '1', free, map: { one: { n: 1 } }, items: [{ n: 1 }] })
})

test('an absent field is left out, never null', async () => {
  const Thing = Type.Object({
    a: Type.Optional(Type.String()),
    b: Type.Optional(FreeForm),
    c: Type.Optional(Timestamp),
  })
  const answer = await get(endpoint({ ...base, id: 'get', reply: { 200: Thing }, run: async () => reply(200, {}) }))
  expect(answer.text).toBe('{}')
})

test('times are told as RFC 3339 in UTC', async () => {
  const time = new Date('2026-01-02T03:04:05.678+02:00')
  const answer = await get(
    endpoint({
      ...base,
      id: 'get',
      reply: { 200: Type.Object({ time: Timestamp }) },
      run: async () => reply(200, { time }),
    }),
  )
  expect(answer.body).toEqual({ time: '2026-01-02T01:04:05.678Z' })
})

test('a list may be empty, and is JSON', async () => {
  const answer = await get(
    endpoint({ ...base, id: 'get', reply: { 200: Type.Array(Type.Object({})) }, run: async () => reply(200, []) }),
  )
  expect(answer.text).toBe('[]')
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
})

test('an empty answer has no body, and keeps its headers', async () => {
  const answer = await get(
    endpoint({ ...base, id: 'get', reply: { 204: Empty }, run: async () => reply(204, null, { etag: '"1"' }) }),
  )
  expect(answer).toMatchObject({ status: 204, text: '' })
  expect(answer.headers.get('etag')).toBe('"1"')
})

test('a body that is JSON already is sent as it is, with its type and tag', async () => {
  const text = '{"id":"1","free":{ "a": 1.0 }}'
  const schema = Type.Object({ id: Type.String(), free: FreeForm })
  const thing = endpoint({ ...base, id: 'get', reply: { 200: schema }, run: async () => jsonReply(200, text) })
  const server = await startTestServer([thing])
  const answer = await server.call('GET', '/v1/thing')
  expect(answer).toMatchObject({ status: 200, text })
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const tag = answer.headers.get('etag') ?? ''
  expect((await server.call('GET', '/v1/thing', { headers: { 'if-none-match': tag } })).status).toBe(304)
})

test('an answer may be a stream of another media type', async () => {
  const answer = await get(
    endpoint({
      ...base,
      id: 'get',
      produces: 'text/plain; charset=utf-8',
      reply: { 200: Type.String() },
      run: async () => reply(200, Readable.from(['one ', 'two'])),
    }),
  )
  expect(answer.text).toBe('one two')
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
})
