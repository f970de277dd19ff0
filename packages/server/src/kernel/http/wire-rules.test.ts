import { connect } from 'node:net'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { Empty, endpoint, reply } from './index.ts'
import { startTestServer } from './test-server.testkit.ts'

const take = endpoint({
  id: 'take',
  method: 'POST',
  path: '/take',
  access: 'public',
  summary: 'x',
  tag: 'Test',
  body: Type.Object({}),
  bodyOptional: true,
  reply: { 204: Empty },
  run: async () => reply(204, null),
})

async function raw(port: number, text: string): Promise<{ head: string; body: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { head, body }
}
const start = (publicUrl = 'https://mortise.example.com') =>
  startTestServer([take], { problems: { publicUrl, support: {} } })
const post = 'POST /v1/take HTTP/1.1\r\n'

describe('a request that two servers could read as two different ones is refused, and its connection closed', () => {
  test.each([
    ['two hosts', `${post}host: a\r\nhost: b\r\n\r\n`],
    ['the same host twice', `${post}host: a\r\nHost: a\r\n\r\n`],
    ['no host', `${post}\r\n`],
    ['an unknown transfer coding', `${post}host: a\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['a transfer coding beside chunked', `${post}host: a\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['identity', `${post}host: a\r\ntransfer-encoding: identity\r\n\r\n`],
    ['chunked twice', `${post}host: a\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunked with a tab before it', `${post}host: a\r\ntransfer-encoding:\x0bchunked\r\n\r\n0\r\n\r\n`],
    ['chunked in HTTP/1.0', 'POST /v1/take HTTP/1.0\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a length beside chunked', `${post}host: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunked beside a length', `${post}host: a\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${post}host: a\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
    ['a length that is none', `${post}host: a\r\ncontent-length: +2\r\n\r\n{}`],
    ['a space before a colon', `${post}host: a\r\ncontent-length : 2\r\n\r\n{}`],
    ['a folded header', `${post}host: a\r\nx: a\r\n b\r\n\r\n`],
    ['a bare line feed', 'POST /v1/take HTTP/1.1\nhost: a\n\n'],
    ['a header with NUL', `${post}host: a\r\nx: a\0b\r\n\r\n`],
    ['a version that there is not', 'POST /v1/take HTTP/7.3\r\nhost: a\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('%s', async (_, text) => {
    const { port } = await start()
    const { head, body } = await raw(port, text)
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(head).toMatch(/^content-type: application\/problem\+json$/im)
    expect(head).toMatch(/^connection: close$/im)
    expect(JSON.parse(body)).toMatchObject({ status: 400, context: { code: 'malformed-request' } })
  })

  test('one host and one chunked body are taken', async () => {
    const { port } = await start()
    const chunked = `${post}host: a\r\ncontent-type: application/json\r\nconnection: close\r\ntransfer-encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`
    expect((await raw(port, chunked)).head).toMatch(/^HTTP\/1\.1 204 /)
  })
})

describe('what never becomes a request is answered by a problem', () => {
  test.each([
    ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example\r\n\r\n', 501, 'tunnel-refused'],
    ['an expectation', `${post}host: a\r\nexpect: 200-maybe\r\n\r\n`, 417, 'expectation-unknown'],
    ['TRACE', 'TRACE / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 404, 'no-such-route'],
    [
      'an absolute URL',
      'GET http://evil.example/ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
      404,
      'no-such-route',
    ],
    ['a path that is none', 'GET /%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n', 400, 'invalid-input'],
    [
      'an upgrade',
      'GET /x HTTP/1.1\r\nhost: a\r\nconnection: close, upgrade\r\nupgrade: h2c\r\n\r\n',
      404,
      'no-such-route',
    ],
    ['a URL of 20 kB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`, 431, 'headers-too-large'],
  ])('%s', async (_, text, status, code) => {
    const { port } = await start()
    const { head, body } = await raw(port, text)
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toMatch(/^content-type: application\/problem\+json/im)
    expect(JSON.parse(body)).toMatchObject({ status, context: { code } })
  })

  test('a HEAD has the headers of the answer and no body', async () => {
    const { port } = await start()
    const { head, body } = await raw(port, 'HEAD /nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 404 /)
    expect(head).toMatch(/^content-type: application\/problem\+json/im)
    expect(body).toBe('')
  })

  test('headers that do not arrive in time are answered 408, not half a minute later', async () => {
    let server: import('node:http').Server | undefined
    const { port } = await startTestServer([take], {}, (app) => {
      server = app.server as import('node:http').Server
    })
    expect(server?.headersTimeout).toBe(10_000)
    server!.headersTimeout = 100
    const { head, body } = await raw(port, 'GET / HTTP/1.1\r\nhost: a\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 408 /)
    expect(JSON.parse(body)).toMatchObject({ status: 408, context: { code: 'request-too-slow' } })
  }, 20_000)
})

describe('every answer', () => {
  const answers = [
    ['a good one', `${post}host: a\r\nconnection: close\r\n\r\n`],
    ['a refused one', 'GET /nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'],
    ['what is not HTTP', 'NONSENSE\r\n\r\n'],
    ['two hosts', `${post}host: a\r\nhost: b\r\n\r\n`],
    ['a path that is none', 'GET /%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'],
    [
      'a preflight',
      'OPTIONS /v1/take HTTP/1.1\r\nhost: a\r\norigin: https://b.example\r\naccess-control-request-method: POST\r\nconnection: close\r\n\r\n',
    ],
  ] as const
  test.each(answers)('forbids browsers to guess its type: %s', async (_, text) => {
    const { port } = await start()
    const { head } = await raw(port, text)
    expect(head).toMatch(/^x-content-type-options: nosniff$/im)
    expect(head).toMatch(/^strict-transport-security: max-age=31536000$/im)
  })

  test('speaks of TLS only where the service is reached over it', async () => {
    const { port } = await start('http://localhost:4100')
    const { head } = await raw(port, answers[0][1])
    expect(head).not.toMatch(/strict-transport-security/i)
  })
})
