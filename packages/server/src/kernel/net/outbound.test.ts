import { randomBytes } from 'node:crypto'
import { getEventListeners, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from './address-guard.ts'
import { createNameResolver } from './names/name-resolver.ts'
import { ResolverBusy } from './names/resolver-busy.ts'
import { createOutbound, type Outbound, type OutboundSettings } from './outbound.ts'
import { OutboundError, type OutboundErrorKind } from './outbound-error.ts'
import { loopbackSpellings, privateAddresses } from './ssrf-vectors.ts'
import { testCertificate } from './test-certificate.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/**
 * A server on every address of this machine that counts connections: what must not be reached must not even be dialled.
 */
let server: Server
let port: number
let connections = 0
let handler: Handler
const open: Outbound[] = []

beforeAll(async () => {
  server = createServer({ maxHeaderSize: 1 << 20 }, (request, response) => handler(request, response))
  server.on('connection', () => connections++)
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  await Promise.all(open.map((outbound) => outbound.close()))
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  connections = 0
  handler = (_, response) => response.end('hello')
})

function outboundFor(setting: string, settings: Partial<OutboundSettings> = {}): Outbound {
  const guard = createAddressGuard({ allow: parseAllowedNetworks(setting) })
  const outbound = createOutbound({ guard, userAgent: 'mortise-test', ...settings })
  open.push(outbound)
  return outbound
}

const limits = { method: 'GET', timeoutMs: 5_000, maxBytes: 65_536 } as const

/** The kind of the `OutboundError` that a promise fails with. */
async function failure(promise: Promise<unknown>): Promise<OutboundErrorKind> {
  return (await errorOf(promise)).kind
}
async function errorOf(promise: Promise<unknown>): Promise<OutboundError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof OutboundError) return error
    throw error
  }
  throw new Error('it succeeded')
}

/** Resolves every name to the given addresses. */
function resolving(...addresses: string[]): LookupFunction {
  return (_, __, callback) => {
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )
  }
}

describe('names', () => {
  const names = (found: () => { address: string; family: 4 | 6 }[] | undefined) => {
    const asked: (string | undefined)[] = []
    const resolver = createNameResolver({ servers: ['127.0.0.1:1'] })
    const resolve = async (_: string, project?: string) => {
      asked.push(project)
      return found() ?? []
    }
    return { asked, settings: { names: { ...resolver, known: () => undefined, resolve } } }
  }
  test('are resolved for the project of the request, and each address is still checked', async () => {
    const { asked, settings } = names(() => [{ address: '127.0.0.1', family: 4 }])
    const refused = failure(
      outboundFor('', settings).request({ ...limits, url: 'https://localhost:8443/', project: 'p1' }),
    )
    expect(await refused).toBe('refused_address')
    expect(asked).toEqual(['p1'])
    expect(connections).toBe(0)
  })
  test('that our resolver is too busy for are told apart from those that do not resolve', async () => {
    const busy = names(() => {
      throw new ResolverBusy()
    })
    const error = await errorOf(outboundFor('', busy.settings).request({ ...limits, url: 'https://u.example/' }))
    expect([error.kind, error.message]).toEqual(['busy', 'Too many DNS lookups; nothing was sent to u.example.'])
  })
  test('end with the deadline of the request, and when it is cancelled', async () => {
    const silent = names(() => [])
    silent.settings.names.resolve = () => new Promise(() => undefined)
    const outbound = outboundFor('', silent.settings)
    expect(await failure(outbound.request({ ...limits, url: 'https://u.example/', timeoutMs: 20 }))).toBe('timeout')
    const cancel = AbortSignal.timeout(20)
    expect(await failure(outbound.request({ ...limits, url: 'https://u.example/', signal: cancel }))).toBe('aborted')
  })
})

describe('addresses that are refused', () => {
  test('none of the private addresses is dialled, as a literal or behind a name', async () => {
    for (const address of privateAddresses) {
      const host = address.includes(':') ? `[${address}]` : address
      const byName = outboundFor('', { lookup: resolving(address.replace(/%.*/, '')) })
      for (const scheme of ['http', 'https']) {
        const literal = await errorOf(
          outboundFor('').request({ ...limits, url: `${scheme}://${host}:${port}/`, allowHttp: true }),
        )
        expect([address, literal.kind]).toEqual([address, 'refused_address'])
        const named = await errorOf(
          byName.request({ ...limits, url: `${scheme}://name.example:${port}/`, allowHttp: true }),
        )
        expect([address, named.kind]).toEqual([address, 'refused_address'])
        expect(named.message).not.toContain(address)
      }
      await byName.close()
    }
    expect(connections).toBe(0)
  })
  test.each(loopbackSpellings)('http://%s is not dialled', async (host) => {
    const url = `http://${host}:${port}/`
    expect(await failure(outboundFor('').request({ ...limits, url, allowHttp: true }))).toBe('refused_address')
    expect(await failure(outboundFor('').stream({ ...limits, url, allowHttp: true }))).toBe('refused_address')
    expect(connections).toBe(0)
  })
  test('of a name with a refused and an open address only the open one is dialled', async () => {
    const outbound = outboundFor('127.0.0.2/32', { lookup: resolving('127.0.0.1', '127.0.0.2') })
    handler = (request, response) => response.end(request.socket.localAddress)
    expect((await outbound.request({ ...limits, url: `http://mixed.example:${port}/` })).body.toString()).toBe(
      '127.0.0.2',
    )
    expect(connections).toBe(1)
  })
  test('a name that turns to a refused address after a first good answer is refused at the next connection', async () => {
    const answers = ['127.0.0.2', '127.0.0.1']
    const lookup: LookupFunction = (_, __, callback) => callback(null, [{ address: answers.shift()!, family: 4 }])
    const outbound = outboundFor('127.0.0.2/32', { lookup })
    handler = (_, response) => response.setHeader('connection', 'close').end('first')
    const url = `http://rebound.example:${port}/`
    expect((await outbound.request({ ...limits, url })).status).toBe(200)
    expect(await failure(outbound.request({ ...limits, url }))).toBe('refused_address')
    expect(connections).toBe(1)
  })
  test('a connection that ends up at another address than was dialled is closed before a byte is sent', async () => {
    // Linux and macOS connect 0.0.0.0 to themselves: the address dialled is open here, the one reached is not.
    let requests = 0
    handler = (_, response) => {
      requests++
      response.end()
    }
    expect(await failure(outboundFor('0.0.0.0/8').request({ ...limits, url: `http://0.0.0.0:${port}/` }))).toBe(
      'refused_address',
    )
    expect(requests).toBe(0)
  })
  test('plain http to a name at a public address is refused before it is dialled', async () => {
    const outbound = outboundFor('loopback', { lookup: resolving('8.8.8.8') })
    const error = await errorOf(outbound.request({ ...limits, url: `http://public.example:${port}/` }))
    expect([error.kind, error.remedy]).toEqual(['refused_address', 'Use https.'])
  })
  test('the two rules for plain http do not share connections', async () => {
    const outbound = outboundFor('127.0.0.1/32')
    const url = `http://127.0.0.1:${port}/`
    await outbound.request({ ...limits, url, allowHttp: true })
    await outbound.request({ ...limits, url })
    expect(connections).toBe(2)
  })
  test('proxy settings of the environment are not followed', async () => {
    const before = process.env['http_proxy']
    process.env['http_proxy'] = 'http://127.0.0.1:1'
    try {
      const answer = await outboundFor('loopback').request({ ...limits, url: `http://127.0.0.1:${port}/` })
      expect(answer.body.toString()).toBe('hello')
    } finally {
      if (before === undefined) delete process.env['http_proxy']
      else process.env['http_proxy'] = before
    }
  })
  test('a name that does not resolve is said to be that', async () => {
    const lookup: LookupFunction = (_, __, callback) =>
      callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
    const error = await errorOf(
      outboundFor('', { lookup }).request({ ...limits, url: 'https://u.example/p?token=hunter2' }),
    )
    expect([error.kind, error.message]).toEqual(['dns', 'The host u.example could not be found.'])
  })
  test('a resolver that never answers ends with the deadline', async () => {
    const lookup: LookupFunction = () => undefined
    const url = 'https://slow.example/'
    expect(await failure(outboundFor('', { lookup }).request({ ...limits, url, timeoutMs: 50 }))).toBe('timeout')
  })
})

describe('what is sent', () => {
  test('method, path, query, headers and body arrive as given, with defaults for what is missing', async () => {
    handler = async (request, response) =>
      response.end(JSON.stringify([request.method, request.url, request.headers, await text(request)]))
    const answer = await outboundFor('loopback').request({
      ...limits,
      method: 'POST',
      url: `http://127.0.0.1:${port}/a%2Fb?x=%20`,
      headers: { 'X-Custom': 'yes', 'content-type': 'text/plain' },
      body: 'words',
    })
    const [method, path, headers, body] = JSON.parse(answer.body.toString())
    expect([method, path, body]).toEqual(['POST', '/a%2Fb?x=%20', 'words'])
    expect(headers).toMatchObject({
      'x-custom': 'yes',
      'content-type': 'text/plain',
      'user-agent': 'mortise-test',
      'accept-encoding': 'identity',
    })
  })
  test('a stream is sent as it flows', async () => {
    handler = async (request, response) => response.end(await text(request))
    const body = Readable.from(['one ', 'two'])
    const url = `http://127.0.0.1:${port}/`
    expect((await outboundFor('loopback').request({ ...limits, method: 'PUT', url, body })).body.toString()).toBe(
      'one two',
    )
  })
  test.each([
    { host: 'evil.example' },
    { Connection: 'upgrade' },
    { 'transfer-encoding': 'chunked' },
    { 'x-custom': 'a\r\nx-injected: b' },
    { 'x custom': 'a' },
    { 'x-custom': 'a\u0000' },
  ])('the headers %j are refused', async (headers) => {
    const url = `http://127.0.0.1:${port}/`
    expect(await failure(outboundFor('loopback').request({ ...limits, url, headers: { ...headers } }))).toBe('protocol')
    expect(connections).toBe(0)
  })
  // Two, because the client rests a connection for one turn of the event loop before it uses it again.
  test('two connections serve any number of requests in a row', async () => {
    const outbound = outboundFor('loopback')
    for (let count = 0; count < 20; count++) await outbound.request({ ...limits, url: `http://127.0.0.1:${port}/` })
    expect(connections).toBeLessThanOrEqual(2)
  })
})

describe('redirects', () => {
  const outbound = () => outboundFor('127.0.0.2/32, 127.0.0.3/32')
  const at = (host: string, path = '/') => `http://${host}:${port}${path}`
  const redirectTo = (location: string, status = 302): Handler => {
    return (request, response) => {
      if (request.url === '/start') response.writeHead(status, { location }).end()
      else response.end(JSON.stringify([request.method, request.headers]))
    }
  }

  test('none is followed unless asked for', async () => {
    handler = redirectTo('/next')
    expect((await outbound().request({ ...limits, url: at('127.0.0.2', '/start') })).status).toBe(302)
  })
  test.each([301, 302, 303, 307, 308])('a %i to a refused address is not followed', async (status) => {
    for (const target of ['127.0.0.1', 'localhost', '169.254.169.254', '[::1]', '2130706433']) {
      connections = 0
      handler = redirectTo(at(target), status)
      const url = at('127.0.0.2', '/start')
      expect(await failure(outbound().request({ ...limits, url, redirects: 3 }))).toBe('refused_address')
      expect(await failure(outbound().stream({ ...limits, url, redirects: 3 }))).toBe('refused_address')
      expect(connections).toBe(2)
    }
  })
  test.each(['file:///etc/passwd', 'gopher://127.0.0.2/', 'data:text/plain,x', 'http://u:p@127.0.0.2/'])(
    'a redirect to %s is not followed',
    async (location) => {
      handler = redirectTo(location)
      const url = at('127.0.0.2', '/start')
      expect(await failure(outbound().request({ ...limits, url, redirects: 3 }))).toBe('refused_address')
    },
  )
  test('credentials stay with their origin, whatever their header is called', async () => {
    const headers = { authorization: 'Bearer x', cookie: 'x', 'x-api-key': 'x', 'x-own': 'x', accept: 'text/plain' }
    handler = redirectTo(at('127.0.0.3'))
    const away = await outbound().request({ ...limits, url: at('127.0.0.2', '/start'), redirects: 1, headers })
    const [, sentAway] = JSON.parse(away.body.toString())
    expect(Object.keys(sentAway).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
    expect(away.url).toBe(at('127.0.0.3'))

    handler = redirectTo('/next')
    const home = await outbound().request({ ...limits, url: at('127.0.0.2', '/start'), redirects: 1, headers })
    expect(JSON.parse(home.body.toString())[1]).toMatchObject(headers)
  })
  test('a POST becomes a GET after 303, and is repeated at its own origin alone after 307', async () => {
    const post = { ...limits, method: 'POST', body: 'secret', url: at('127.0.0.2', '/start'), redirects: 1 }
    handler = redirectTo('/next', 303)
    expect(JSON.parse((await outbound().request(post)).body.toString())[0]).toBe('GET')
    handler = redirectTo('/next', 307)
    expect(JSON.parse((await outbound().request(post)).body.toString())[0]).toBe('POST')
    handler = redirectTo(at('127.0.0.3'), 307)
    expect(await failure(outbound().request(post))).toBe('protocol')
  })
  test('a chain ends at the number of redirects that was given', async () => {
    handler = (_, response) => response.writeHead(302, { location: '/again' }).end()
    const url = at('127.0.0.2')
    expect(await failure(outbound().request({ ...limits, url, redirects: 3 }))).toBe('protocol')
  })
})

describe('what is answered', () => {
  const url = () => `http://127.0.0.1:${port}/`
  const compressions: [string, (data: Buffer) => Buffer][] = [
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ]

  test.each(compressions)('%s is undone, within the limit of what comes out of it', async (encoding, compress) => {
    const outbound = outboundFor('loopback')
    const sentence = Buffer.from('a sentence. '.repeat(5_000))
    handler = (_, response) => response.setHeader('content-encoding', encoding).end(compress(sentence))
    const whole = await outbound.request({ ...limits, url: url() })
    expect(whole.body.equals(sentence)).toBe(true)
    expect(whole.headers).not.toHaveProperty('content-encoding')
    const cut = await outbound.request({ ...limits, url: url(), maxBytes: 1_000, tooLarge: 'truncate' })
    expect([cut.body.length, cut.truncated]).toEqual([1_000, true])
    expect(await failure(outbound.request({ ...limits, url: url(), maxBytes: 1_000 }))).toBe('too_large')
    const flowing = await outbound.stream({ ...limits, url: url() })
    expect(await text(flowing.body)).toBe(sentence.toString())
  })
  test.each(compressions)('%s of 1 MB in many pieces comes out whole', async (encoding, compress) => {
    const noise = randomBytes(1 << 20)
    const compressed = compress(noise)
    handler = (_, response) => response.setHeader('content-encoding', encoding).end(compressed)
    const outbound = outboundFor('loopback')
    const request = { ...limits, url: url(), maxBytes: 1 << 20 }
    expect((await outbound.request(request)).body.equals(noise)).toBe(true)
    expect((await buffer((await outbound.stream(request)).body)).equals(noise)).toBe(true)
  })
  test('an answer to HEAD may name a coding and a length, and has no body', async () => {
    handler = (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '99999999' }).end()
    const head = { ...limits, method: 'HEAD', url: url() }
    expect((await outboundFor('loopback').request(head)).headers['content-length']).toBe('99999999')
    expect(await text((await outboundFor('loopback').stream(head)).body)).toBe('')
  })
  test('a coding that is none leaves the body as it is', async () => {
    handler = (_, response) => response.setHeader('content-encoding', 'utf-8').end('plain')
    expect((await outboundFor('loopback').request({ ...limits, url: url() })).body.toString()).toBe('plain')
  })
  test('repeated headers are joined, and names of the language are only names', async () => {
    handler = (request) =>
      request.socket.end(
        'HTTP/1.1 200 OK\r\n__proto__: a\r\nconstructor: b\r\nconstructor: c\r\nlink: d\r\nLink: e\r\ncontent-length: 0\r\n\r\n',
      )
    const { headers } = await outboundFor('loopback').request({ ...limits, url: url() })
    expect(headers['link']).toBe('d, e')
    expect(headers['constructor']).toBe('b, c')
    expect(Object.getPrototypeOf(headers)).toBeNull()
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })
  test('a body at the limit is whole', async () => {
    handler = (_, response) => response.end(Buffer.alloc(1_000))
    const answer = await outboundFor('loopback').request({ ...limits, url: url(), maxBytes: 1_000 })
    expect([answer.body.length, answer.truncated]).toEqual([1_000, false])
  })
})

describe('hostile answers', () => {
  const url = () => `http://127.0.0.1:${port}/?token=hunter2`
  const endless = (response: ServerResponse, chunk: Buffer) => {
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', more)
    more()
  }

  test('1 GB is cut at the limit or refused, without being read', async () => {
    const written: number[] = []
    const allClosed = new Promise<void>((resolve) => {
      handler = (_, response) => {
        const { socket } = response
        response.writeHead(200, { 'content-length': String(1 << 30) })
        response.on('close', () => written.push(socket?.bytesWritten ?? Number.POSITIVE_INFINITY) === 3 && resolve())
        endless(response, Buffer.alloc(65_536))
      }
    })
    const outbound = outboundFor('loopback')
    const cut = await outbound.request({ ...limits, url: url(), tooLarge: 'truncate' })
    expect([cut.status, cut.body.length, cut.truncated]).toEqual([200, 65_536, true])
    expect(await failure(outbound.request({ ...limits, url: url() }))).toBe('too_large')
    const flowing = await outbound.stream({ ...limits, url: url() })
    expect(await failure(text(flowing.body))).toBe('too_large')
    await allClosed
    expect(Math.max(...written)).toBeLessThan(32 << 20)
  })
  test('a body that drips ends with the deadline; the status counts when the body is not wanted', async () => {
    handler = (_, response) => {
      response.writeHead(200).write('x')
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    }
    const outbound = outboundFor('loopback')
    const began = performance.now()
    expect(await failure(outbound.request({ ...limits, url: url(), timeoutMs: 150 }))).toBe('timeout')
    const flowing = await outbound.stream({ ...limits, url: url(), timeoutMs: 150 })
    expect(await failure(text(flowing.body))).toBe('timeout')
    const counted = await outbound.request({ ...limits, url: url(), timeoutMs: 150, bodyWanted: false })
    expect([counted.status, counted.truncated]).toEqual([200, true])
    // Three times the deadline and whatever a busy machine adds; without one they would drip for ever, or for as long
    // as by default.
    expect(performance.now() - began).toBeLessThan(limits.timeoutMs)
  })
  test('a server that never answers ends with the deadline, and its sentence holds no query', async () => {
    handler = () => undefined
    const error = await errorOf(outboundFor('loopback').request({ ...limits, url: url(), timeoutMs: 100 }))
    expect([error.kind, error.message]).toEqual(['timeout', `127.0.0.1:${port} did not answer completely in time.`])
  })
  test('waiting for a free connection is within the deadline', async () => {
    handler = () => undefined
    const outbound = outboundFor('loopback', { connections: 1 })
    const both = [0, 1].map(() => failure(outbound.request({ ...limits, url: url(), timeoutMs: 150 })))
    expect(await Promise.all(both)).toEqual(['timeout', 'timeout'])
  })
  test('a request whose deadline passed while it waited is never sent', async () => {
    const seen: (string | undefined)[] = []
    const held = Promise.withResolvers<() => unknown>()
    handler = (request, response) => {
      // What a test before this one gave up may be read only now.
      if (request.method === 'POST') seen.push(request.url)
      if (request.url === '/first') held.resolve(() => response.end())
      else response.end()
    }
    const outbound = outboundFor('loopback', { connections: 1 })
    const ask = (path: string, timeoutMs: number) =>
      outbound.request({ ...limits, method: 'POST', url: `http://127.0.0.1:${port}${path}`, body: 'x', timeoutMs })
    const first = ask('/first', 30_000)
    const release = await held.promise
    expect(await failure(ask('/late', 50))).toBe('timeout')
    release()
    expect((await first).status).toBe(200)
    expect((await ask('/last', 30_000)).status).toBe(200)
    expect(seen).toEqual(['/first', '/last'])
  })
  test('a bomb of 1 GB in gzip is cut at the limit and costs no memory', async () => {
    // Gzip members one after the other are one body (RFC 1952 2.2).
    const bomb = Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 << 20))))
    handler = (_, response) => response.setHeader('content-encoding', 'gzip').end(bomb)
    const outbound = outboundFor('loopback')
    const before = process.memoryUsage().rss
    for (let count = 0; count < 4; count++) {
      const cut = await outbound.request({ ...limits, url: url(), tooLarge: 'truncate' })
      expect([cut.body.length, cut.truncated]).toEqual([65_536, true])
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20)
  })
  test('10,000 headers are refused', async () => {
    handler = (request) => {
      const headers = Array.from({ length: 10_000 }, (_, at) => `x-${at}: ${at}\r\n`).join('')
      request.socket.end(`HTTP/1.1 200 OK\r\n${headers}content-length: 0\r\n\r\n`)
    }
    expect(await failure(outboundFor('loopback').request({ ...limits, url: url() }))).toBe('protocol')
  })
  test('interim answers without end are cut off', async () => {
    handler = (request) => {
      const timer = setInterval(() => request.socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 1)
      request.socket.on('close', () => clearInterval(timer))
    }
    expect(await failure(outboundFor('loopback').request({ ...limits, url: url() }))).toBe('protocol')
  })
  test('a reset after the headers breaks the answer, or ends it when the body is not wanted', async () => {
    handler = (request) => {
      request.socket.write('HTTP/1.1 204 No Content\r\ncontent-length: 100\r\n\r\n', () =>
        request.socket.resetAndDestroy(),
      )
    }
    const outbound = outboundFor('loopback')
    expect((await outbound.request({ ...limits, url: url(), bodyWanted: false })).status).toBe(204)
    handler = (request) => {
      request.socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => request.socket.destroySoon())
    }
    const counted = await outbound.request({ ...limits, url: url(), bodyWanted: false })
    expect([counted.status, counted.body.toString(), counted.truncated]).toEqual([200, 'half', true])
    expect(await failure(outbound.request({ ...limits, url: url() }))).toBe('connect')
    const flowing = await outbound.stream({ ...limits, url: url() })
    expect(await failure(text(flowing.body))).toBe('connect')
  })
  test('broken compression is a protocol error, and no matter when the body is not wanted', async () => {
    handler = (_, response) => response.setHeader('content-encoding', 'gzip').end('not gzip at all')
    const outbound = outboundFor('loopback')
    expect(await failure(outbound.request({ ...limits, url: url() }))).toBe('protocol')
    expect(await failure(text((await outbound.stream({ ...limits, url: url() })).body))).toBe('protocol')
    expect((await outbound.request({ ...limits, url: url(), bodyWanted: false })).status).toBe(200)
  })
  test.each([
    'garbage\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    'HTTP/1.1 999999 X\r\n\r\n',
  ])('%j is a protocol error', async (answer) => {
    handler = (request) => request.socket.end(answer)
    expect(await failure(outboundFor('loopback').request({ ...limits, url: url() }))).toBe('protocol')
  })
})

describe('other ends', () => {
  test('nobody listens', async () => {
    expect(await failure(outboundFor('loopback').request({ ...limits, url: 'http://127.0.0.1:1025/' }))).toBe('connect')
  })
  test('TLS towards a server that speaks none', async () => {
    expect(await failure(outboundFor('loopback').request({ ...limits, url: `https://127.0.0.1:${port}/` }))).toBe('tls')
  })
  test('https is spoken to a host that proves its name, and to no other', async () => {
    const secure = createTlsServer(testCertificate, (_, response) => response.end('private')).listen(0, '127.0.0.1')
    await once(secure, 'listening')
    const { port: securePort } = secure.address() as AddressInfo
    const settings = { lookup: resolving('127.0.0.1'), ca: testCertificate.cert }
    const ask = (host: string, outbound: Outbound) =>
      outbound.request({ ...limits, url: `https://${host}:${securePort}/` })
    for (const host of ['name.example', '127.0.0.1']) {
      expect((await ask(host, outboundFor('loopback', settings))).body.toString()).toBe('private')
    }
    expect(await failure(ask('other.example', outboundFor('loopback', settings)))).toBe('tls')
    expect(await failure(ask('127.0.0.1', outboundFor('loopback')))).toBe('tls')
    expect(await failure(ask('name.example', outboundFor('', settings)))).toBe('refused_address')
    secure.closeAllConnections()
    secure.close()
  })
  test('one signal may serve many requests, and is left without listeners', async () => {
    const { signal } = new AbortController()
    const outbound = outboundFor('loopback')
    const url = `http://127.0.0.1:${port}/`
    await Promise.all(Array.from({ length: 40 }, () => outbound.request({ ...limits, url, signal })))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
  test('the caller cancels, before and during', async () => {
    const url = `http://127.0.0.1:${port}/`
    const outbound = outboundFor('loopback')
    expect(await failure(outbound.request({ ...limits, url, signal: AbortSignal.abort() }))).toBe('aborted')
    const controller = new AbortController()
    handler = () => controller.abort()
    expect(await failure(outbound.request({ ...limits, url, signal: controller.signal }))).toBe('aborted')
  })
  test('closing cancels what is under way and refuses what follows', async () => {
    const url = `http://127.0.0.1:${port}/`
    const outbound = outboundFor('loopback')
    const arrived = new Promise<void>((resolve) => {
      handler = () => resolve()
    })
    const pending = failure(outbound.request({ ...limits, url }))
    await arrived
    await outbound.close()
    expect(await pending).toBe('aborted')
    expect(await failure(outbound.request({ ...limits, url }))).toBe('aborted')
  })
  test('a stream that its reader leaves closes the connection', async () => {
    const closed = new Promise<void>((resolve) => {
      handler = (_, response) => {
        response.on('close', resolve)
        response.write('x')
      }
    })
    const flowing = await outboundFor('loopback').stream({ ...limits, url: `http://127.0.0.1:${port}/` })
    flowing.body.destroy()
    await closed
  })
})
