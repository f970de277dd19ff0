import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ProxyingKit, problemOf, secretKey, startProxyingKit } from './proxying.testkit.ts'

/** Requests that try to lead the credential elsewhere (S6), and to smuggle headers or requests (S15). */

let kit: ProxyingKit
let installationId: string
beforeAll(async () => {
  kit = await startProxyingKit()
  installationId = (await kit.install('keyed', 'acme')).id
})
afterEach(() => {
  kit.provider.answers(undefined)
  kit.provider.seen.length = 0
})
afterAll(() => kit?.stop())

const head = (first: string, more?: string[], host?: string) => kit.head(installationId, first, more, host)
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])

describe('the credential never leaves the declared host', () => {
  it.each([
    '//evil.example/',
    '//evil.example',
    '/\\evil.example/',
    '/%2fevil.example/',
    '/%5cevil.example/',
    '/..//evil.example/',
    '/../x',
    '/a/../../x',
    '/a/%2e%2e/x',
    '/%2E./x',
    '/a/.%2e',
    '/.',
    '/a/..%2f..%2fx',
    '/a%2f..%2f..%2fx',
    '/a/..;/x',
    '/a/..%5cx',
    '/a\\..\\x',
    '/a#x',
    '/caf\u00e9',
  ])('%s is refused', async (path) => {
    const statuses = [statusOf(await kit.raw(Buffer.from(head(`GET /proxy${path} HTTP/1.1`), 'latin1')))]
    statuses.push(statusOf(await kit.raw(Buffer.from(head(`GET ${path} HTTP/1.1`, [], 'proxy.example.com'), 'latin1'))))
    expect(statuses).toEqual([400, 400])
    expect(kit.provider.seen).toEqual([])
  })

  it.each([
    ['@evil.example/', 404],
    ['.evil.example/', 404],
    [':443/', 404],
    ['\\\\evil.example/', 404],
  ])('%s behind the prefix is no path of the proxy', async (text, status) => {
    // `x-amp-proxy-version` brings what is not below /proxy/ there: as a path, behind one slash.
    const answer = await kit.raw(head(`GET /proxy${text} HTTP/1.1`).replace(/x-amp-proxy-version: 1\r\n/, ''))
    expect(statusOf(answer)).toBe(status)
    expect(kit.provider.seen).toEqual([])
  })

  it('whatever else stands in a path stays in the path', async () => {
    for (const path of [
      '/@evil.example/',
      '/.evil.example/',
      '/:443/',
      '/http://evil.example/',
      '/x?u=//evil.example/../',
    ])
      expect((await kit.call(installationId, path)).status).toBe(200)
    expect(kit.provider.seen.map(({ url, headers }) => [url, headers.host])).toEqual(
      ['/@evil.example/', '/.evil.example/', '/:443/', '/http://evil.example/', '/x?u=//evil.example/../'].map(
        (path) => [`/api${path}`, new URL(kit.provider.url).host],
      ),
    )
  })

  it('an absolute URL, a tab and a line break are refused', async () => {
    const answers = [
      await kit.raw(head('GET http://evil.example/proxy/x HTTP/1.1')),
      await kit.raw(head('GET http://proxy.example.com/x HTTP/1.1')),
      await kit.raw(head('GET /proxy/\t/evil.example HTTP/1.1')),
      await kit.raw(head('GET /proxy/a%0d%0aX-Evil:%201 HTTP/1.1')),
    ]
    // The last one stays what it is: encoded.
    expect(answers.map(statusOf)).toEqual([400, 404, 400, 200])
    expect(kit.provider.seen.map(({ url, headers }) => [url, headers['x-evil']])).toEqual([
      ['/api/a%0d%0aX-Evil:%201', undefined],
    ])
  })

  it('a redirect of the provider is the caller’s to follow', async () => {
    kit.provider.answers((_, response) => response.writeHead(307, { location: 'http://evil.example/' }).end())
    const answer = await kit.call(installationId, '/x')
    expect([answer.status, answer.headers.location]).toEqual([307, 'http://evil.example/'])
  })
})

describe('headers', () => {
  it('of the connection, ours, and all that holds the platform’s key stay here', async () => {
    const more = [
      'X-Secret: 1',
      'x-forwarded-for: 1.2.3.4',
      'x-forwarded-host: evil.example',
      'Forwarded: for=1.2.3.4',
      'X-Real-Ip: 1.2.3.4',
      'Via: 1.1 a',
      'Cookie: mortise=1',
      'Authorization: Bearer of-the-caller',
      'Proxy-Authorization: Basic eDp5',
      'Proxy-Connection: close',
      'Keep-Alive: timeout=9',
      'TE: trailers',
      'Trailer: x',
      'Upgrade: websocket',
      'Expect: 100-continue',
      'X-Mortise-Anything: 1',
      'X-Amp-Client: a',
      `X-Debug: key=${kit.app.apiKey}`,
      'X-Secret-Token: of-the-caller',
      'X-Kept: 1',
    ]
    const bytes = head('GET /proxy/x HTTP/1.1', more).replace(
      'Connection: close',
      'Connection: close, x-secret, upgrade',
    )
    expect(statusOf(await kit.raw(bytes))).toBe(100)
    const [seen] = kit.provider.seen
    const { host: _, connection, ...sent } = seen?.headers ?? {}
    expect(sent).toEqual({ 'x-secret-token': secretKey, 'x-kept': '1' })
    expect(connection).toBe('keep-alive')
    expect(JSON.stringify(seen?.rawHeaders)).not.toContain(kit.app.apiKey)
  })

  it('the platform’s key in the URL is refused', async () => {
    const answer = await kit.call(installationId, `/x?apiKey=${kit.app.apiKey}`)
    expect([answer.status, problemOf(answer).context.code]).toEqual([400, 'proxy-path-refused'])
    expect(answer.body.toString()).not.toContain(kit.app.apiKey)
  })

  it('that break lines or frame twice are no request', async () => {
    const body = '0\r\n\r\nGET /evil HTTP/1.1\r\nHost: x\r\n\r\n'
    const answers = [
      await kit.raw(
        head('POST /proxy/x HTTP/1.1', [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked']) + body,
      ),
      await kit.raw(head('POST /proxy/x HTTP/1.1', ['Content-Length: 3', 'Content-Length: 4']) + body),
      await kit.raw(head('POST /proxy/x HTTP/1.1', ['Transfer-Encoding: chunked, identity']) + body),
      await kit.raw(head('POST /proxy/x HTTP/1.1', ['Transfer-Encoding : chunked']) + body),
      await kit.raw(head('GET /proxy/x HTTP/1.1', ['X-A: b\rX-Evil: 1'])),
      await kit.raw(head('GET /proxy/x HTTP/1.1', ['X-A: b\nX-Evil: 1'])),
    ]
    expect(answers.map(statusOf)).toEqual(answers.map(() => 400))
    expect(
      kit.provider.seen.every(({ url, headers }) => url === '/api/x' && headers['transfer-encoding'] === undefined),
    ).toBe(true)
  })

  it('CONNECT and an upgrade open no tunnel', async () => {
    const tunnel = await kit.raw(head('CONNECT evil.example:443 HTTP/1.1'))
    expect(tunnel).not.toMatch(/^HTTP\/1\.1 2/)
    const socket = head('GET /proxy/ws HTTP/1.1', ['Upgrade: websocket', 'Sec-WebSocket-Version: 13'])
    expect(statusOf(await kit.raw(socket.replace('Connection: close', 'Connection: Upgrade, close')))).toBe(200)
    expect(kit.provider.seen.map(({ headers }) => headers.upgrade)).toEqual([undefined])
  })
})

describe('a hostile provider', () => {
  it('that answers with no HTTP, too many headers or a switch of protocols is a 502', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      `HTTP/1.1 200 OK\r\n${'X-Filler: '.padEnd(1_000, 'x').concat('\r\n').repeat(100)}\r\n`,
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100),
    ]) {
      kit.provider.answers((request) => request.socket.write(bytes))
      const answer = await kit.call(installationId, '/x')
      expect([answer.status, problemOf(answer).context.code]).toEqual([502, 'provider-unreachable'])
      expect(answer.body.toString()).not.toContain(secretKey)
    }
  })

  it('leaves no secret in the log', () => {
    const logged = kit.app.logs.join('\n')
    expect(logged).not.toContain(secretKey)
    expect(logged).not.toContain(kit.app.apiKey)
  })
})
