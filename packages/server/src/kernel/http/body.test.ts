import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { bodyLimits, Empty, endpoint, reply } from './index.ts'
import { fullKey, startTestServer } from './test-server.testkit.ts'

const json = endpoint({
  id: 'json',
  method: 'POST',
  path: '/json',
  access: 'develop',
  bodyBytesMax: bodyLimits.large,
  summary: 'x',
  tag: 'Test',
  body: Type.Object({ text: Type.Optional(Type.String()) }),
  reply: { 200: Type.Object({ length: Type.Integer() }) },
  run: async ({ body }) => reply(200, { length: (body.text ?? '').length }),
})
const remove = endpoint({
  id: 'remove',
  method: 'DELETE',
  path: '/thing',
  access: 'develop',
  summary: 'x',
  tag: 'Test',
  reply: { 204: Empty },
  run: async () => reply(204, null),
})
const binary = endpoint({
  id: 'binary',
  method: 'PUT',
  path: '/binary',
  access: 'public',
  summary: 'x',
  tag: 'Test',
  query: Type.Object({ read: Type.Optional(Type.Boolean()) }),
  accepts: 'binary',
  bodyBytesMax: 1_000_000,
  reply: { 200: Type.Object({ bytes: Type.Integer(), chunks: Type.Integer() }) },
  run: async ({ body, query }) => {
    let bytes = 0
    let chunks = 0
    if (query.read !== false)
      for await (const chunk of body as unknown as Readable) {
        bytes += (chunk as Buffer).length
        chunks += 1
      }
    return reply(200, { bytes, chunks })
  },
})
const plain = (id: string, access: 'develop' | 'public') =>
  endpoint({
    id,
    method: 'POST',
    path: `/${id}`,
    access,
    summary: 'x',
    tag: 'Test',
    body: Type.Object({}),
    reply: { 204: Empty },
    run: async () => reply(204, null),
  })
const endpoints = [json, remove, binary, plain('known', 'develop'), plain('anybody', 'public')]

/** Sends through an agent; answers also which connection it took. */
async function send(
  agent: Agent,
  port: number,
  options: { path: string; method?: string; body: Buffer | Readable; chunked?: boolean },
) {
  const request = httpRequest({
    agent,
    port,
    host: '127.0.0.1',
    path: options.path,
    method: options.method ?? 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': fullKey,
      ...(Buffer.isBuffer(options.body) && !options.chunked && { 'content-length': options.body.length }),
    },
  })
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  if (Buffer.isBuffer(options.body)) request.end(options.body)
  else options.body.pipe(request)
  const [response] = await answered
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode, text: Buffer.concat(chunks).toString(), socket: request.socket }
}

describe('a body that is too large', () => {
  test.each([false, true])(
    'of 50 MB is answered 413 at once, and the connection goes on (chunked: %s)',
    async (chunked) => {
      const server = await startTestServer(endpoints)
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const { user: before } = process.cpuUsage()
      const refused = await send(agent, server.port, { path: '/v1/json', body: Buffer.alloc(50_000_000, ' '), chunked })
      expect(refused.status).toBe(413)
      expect(JSON.parse(refused.text)).toMatchObject({ status: 413, context: { code: 'body-too-large' } })
      // The processor's time, of both sides: other work on the machine does not count.
      expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(2)
      const next = await send(agent, server.port, { path: '/v1/json', body: Buffer.from('{"text":"abc"}') })
      expect(next).toMatchObject({ status: 200, text: '{"length":3}' })
      if (!chunked) expect(next.socket).toBe(refused.socket)
      agent.destroy()
    },
  )

  test('just below the limit is taken', async () => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('POST', '/v1/json', { body: { text: 'x'.repeat(10 * 1024 * 1024 - 11) } })
    expect(answer).toMatchObject({ status: 200, body: { length: 10 * 1024 * 1024 - 11 } })
    expect((await server.call('POST', '/v1/json', { body: { text: 'x'.repeat(10 * 1024 * 1024 - 10) } })).status).toBe(
      413,
    )
  })
})

describe('an endpoint that declares no limit', () => {
  test.each([
    ['anybody', 16 * 1024, 'This endpoint accepts bodies of up to 16 kB.'],
    ['known', 1024 * 1024, 'This endpoint accepts bodies of up to 1 MB.'],
  ])('takes what such endpoints need: %s', async (path, limit, detail) => {
    const server = await startTestServer(endpoints)
    const padded = (bytes: number) => server.call('POST', `/v1/${path}`, { body: `{}${' '.repeat(bytes - 2)}` })
    expect((await padded(limit)).status).toBe(204)
    expect(await padded(limit + 1)).toMatchObject({
      status: 413,
      body: { detail, context: { code: 'body-too-large' } },
    })
  })

  test('answers 413 while the rest is still to come', async () => {
    const server = await startTestServer(endpoints)
    const sending = httpRequest({
      port: server.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/v1/anybody',
      headers: { 'content-type': 'application/json' },
    })
    sending.on('error', () => undefined)
    sending.write(Buffer.alloc(17 * 1024, '{"k":1,'))
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(413)
    sending.destroy()
  })
})

describe('a body that cannot be read', () => {
  test.each([
    ['{"text": "a",\n "b": }', "not valid JSON: Unexpected token '}'."],
    ['{"text"', 'not valid JSON: '],
    ["{'text': 1}", "not valid JSON: Expected property name or '}'."],
    ['{} {}', 'not valid JSON: Unexpected non-whitespace character after JSON.'],
    ['{"a\\x":1}', 'not valid JSON: Bad escaped character.'],
    [' ', 'not valid JSON: Unexpected end of JSON input.'],
    ['\u0000', 'not valid JSON: '],
    [Buffer.from([0x22, 0xff, 0xfe, 0x22]), 'UTF-8'],
  ])('is told with the reason: %j', async (body, reason) => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('POST', '/v1/json', { body })
    expect(answer).toMatchObject({ status: 400, body: { context: { code: 'malformed-body' } } })
    expect(answer.body['detail']).toContain(reason)
  })

  test('a byte order mark is passed over', async () => {
    const server = await startTestServer(endpoints)
    expect((await server.call('POST', '/v1/json', { body: '\ufeff{"text":"ab"}' })).status).toBe(200)
  })

  test.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'nonsense',
  ])('of media type %s is answered 415', async (type) => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('POST', '/v1/json', { body: '{}', headers: { 'content-type': type } })
    expect(answer).toMatchObject({ status: 415, body: { context: { code: 'unsupported-media-type' } } })
  })

  test('a JSON media type may have parameters', async () => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('POST', '/v1/json', {
      body: '{}',
      headers: { 'content-type': 'Application/JSON; charset=UTF-8' },
    })
    expect(answer.status).toBe(200)
  })

  test('an endpoint without a body does not mind an empty one', async () => {
    const server = await startTestServer(endpoints)
    expect((await server.call('DELETE', '/v1/thing', { headers: { 'content-type': 'application/json' } })).status).toBe(
      204,
    )
    expect((await server.call('DELETE', '/v1/thing')).status).toBe(204)
  })
})

describe('a binary body', () => {
  test('is a stream of any media type', async () => {
    const server = await startTestServer(endpoints)
    for (const headers of [
      { 'content-type': 'application/zip' },
      { 'content-type': 'application/json' },
      { 'content-type': 'x-odd/x-odd' },
    ]) {
      const answer = await server.call('PUT', '/v1/binary', { body: Buffer.alloc(500_000), headers })
      expect(answer).toMatchObject({ status: 200, body: { bytes: 500_000 } })
      expect(answer.body['chunks']).toBeGreaterThan(1)
    }
    expect(await server.call('PUT', '/v1/binary')).toMatchObject({ status: 200, body: { bytes: 0 } })
  })

  test.each([false, true])('is cut off at its limit, and the connection goes on (chunked: %s)', async (chunked) => {
    const server = await startTestServer(endpoints)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const put = (bytes: number, query = '') =>
      send(agent, server.port, { path: `/v1/binary${query}`, method: 'PUT', body: Buffer.alloc(bytes), chunked })
    expect(await put(1_000_000)).toMatchObject({ status: 200, text: expect.stringContaining('1000000') })
    expect(await put(1_000_001)).toMatchObject({ status: 413, text: expect.stringContaining('body-too-large') })
    expect(await put(30_000_000)).toMatchObject({ status: 413 })
    expect(await put(900_000, '?read=false')).toMatchObject({ status: 200 })
    expect(await put(10)).toMatchObject({ status: 200 })
    agent.destroy()
  })

  test('does not change how JSON is read elsewhere', async () => {
    const server = await startTestServer(endpoints)
    expect(
      (await server.call('POST', '/v1/json', { body: '{}', headers: { 'content-type': 'application/zip' } })).status,
    ).toBe(415)
  })
})

describe('what is not HTTP', () => {
  async function raw(port: number, text: string): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    socket.write(text)
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    return answer
  }

  test.each([
    ['NONSENSE\r\n\r\n', 400, 'malformed-request'],
    ['GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400, 'malformed-request'],
    [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'headers-too-large'],
    [
      'POST /v1/json HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'malformed-request',
    ],
  ])('is answered by a problem as well: %j', async (text, status, code) => {
    const server = await startTestServer(endpoints)
    const answer = await raw(server.port, text)
    const [head, body] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toMatch(/content-type: application\/problem\+json/i)
    const document = JSON.parse(body ?? '')
    expect(document).toMatchObject({ status, context: { code } })
    expect(head).toContain(`x-request-id: ${document.requestId}`)
  })
})

describe('a client that goes away', () => {
  test('ends the signal of the run', async () => {
    const started = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const wait = endpoint({
      id: 'wait',
      method: 'GET',
      path: '/wait',
      access: 'develop',
      summary: 'x',
      tag: 'Test',
      reply: { 204: Empty },
      run: async ({ signal }) => {
        started.resolve()
        await once(signal, 'abort')
        ended.resolve()
        return reply(204, null)
      },
    })
    const server = await startTestServer([wait])
    const client = new AbortController()
    const call = fetch(`${server.url}/v1/wait`, { headers: { 'x-api-key': fullKey }, signal: client.signal })
    await started.promise
    client.abort()
    await expect(call).rejects.toThrow()
    await ended.promise
  })

  test('and one that stays does not', async () => {
    let signal: AbortSignal | undefined
    const keep = endpoint({
      id: 'keep',
      method: 'POST',
      path: '/keep',
      access: 'develop',
      summary: 'x',
      tag: 'Test',
      body: Type.Object({}),
      reply: { 204: Empty },
      run: async (input) => {
        signal = input.signal
        return reply(204, null)
      },
    })
    const server = await startTestServer([keep])
    expect((await server.call('POST', '/v1/keep', { body: {} })).status).toBe(204)
    expect(signal?.aborted).toBe(false)
  })
})

describe('a request without a body', () => {
  test.each([
    ['POST /v1/json', 400],
    ['POST /v1/known', 400],
    ['POST /v1/anybody', 400],
    ['DELETE /v1/thing', 204],
    ['PUT /v1/binary', 200],
    ['POST /v1/nothing', 404],
  ])('%s with a content type is answered, and so is the next request of the connection', async (line, status) => {
    const { port } = await startTestServer(endpoints)
    const socket = connect(port, '127.0.0.1')
    const head = `${line} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${fullKey}\r\nContent-Type: application/json\r\n`
    socket.write(`${head}\r\n${head}Connection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, `HTTP/1.1 ${status}`])
  })
})
