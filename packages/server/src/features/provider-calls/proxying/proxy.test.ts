import { once } from 'node:events'
import { createServer, request as requestTo } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ProxyingKit, problemOf, proxyManifest, secretKey, startProxyingKit } from './proxying.testkit.ts'

/** Milliseconds, for a busy machine. */
const patience = { timeout: 20_000 }
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

describe('a request to the proxy', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PROPFIND', 'REPORT'])(
    '%s reaches the provider as it is, with the credential of the account',
    async (method) => {
      const body = method === 'GET' ? undefined : '{"a":  1}'
      const answer = await kit.call(installationId, '/things/1?b=%20&a=%2F&a', {
        method,
        headers: { 'content-type': 'application/x-odd; v="1"', accept: 'text/x' },
        ...(body !== undefined && { body }),
      })
      expect([answer.status, answer.body.toString()]).toEqual([200, body ?? ''])
      expect(kit.provider.seen).toHaveLength(1)
      const [seen] = kit.provider.seen
      expect(seen).toMatchObject({ method, url: '/api/things/1?b=%20&a=%2F&a' })
      expect(seen?.headers).toMatchObject({
        'x-secret-token': secretKey,
        'content-type': 'application/x-odd; v="1"',
        accept: 'text/x',
        host: new URL(kit.provider.url).host,
      })
      expect(seen?.body.toString()).toBe(body ?? '')
    },
  )

  it('HEAD is answered with headers alone', async () => {
    kit.provider.answers((_, response) => response.writeHead(200, { 'content-length': '12', 'x-kind': 'a' }).end())
    const answer = await kit.call(installationId, '/x', { method: 'HEAD' })
    expect([answer.status, answer.headers['content-length'], answer.headers['x-kind'], answer.body.length]).toEqual([
      200,
      '12',
      'a',
      0,
    ])
  })

  it('names its installation by integration and group, and the installation wins', async () => {
    const other = await kit.install('keyed', 'other', { apiKey: 'other-key' })
    const named = { 'x-mortise-integration-name': 'keyed', 'x-mortise-group-ref': 'other' }
    const { 'x-amp-installation-id': _, ...rest } = kit.headers('')
    const ask = (headers: Record<string, string>) => fetch(`${kit.app.url}/proxy/x`, { headers })
    expect((await ask({ ...rest, ...named })).status).toBe(200)
    expect((await ask({ ...rest, ...named, 'x-mortise-installation-id': installationId })).status).toBe(200)
    expect((await ask({ ...rest, ...named, 'x-mortise-installation-id': other.id })).status).toBe(200)
    expect(kit.provider.seen.map(({ headers }) => headers['x-secret-token'])).toEqual([
      'other-key',
      secretKey,
      'other-key',
    ])
  })

  it('goes to the module where the manifest says so, and a path that has the base path already is whole', async () => {
    const files = await kit.install('files', 'acme-files')
    await kit.call(files.id, '/a')
    await kit.call(files.id, '/files/a?b')
    await kit.call(files.id, '/filesystem')
    expect(kit.provider.seen.map(({ url }) => url)).toEqual(['/files/a', '/files/a?b', '/files/filesystem'])
  })

  it('carries a credential in the query where the provider wants it there', async () => {
    const { id } = await kit.install('queried', 'acme-q', { apiKey: 'k&y' })
    await kit.call(id, '/a?x=1&api_key=mine&y=%zz')
    await kit.call(id, '/a')
    expect(kit.provider.seen.map(({ url }) => url)).toEqual(['/a?x=1&y=%zz&api_key=k%26y', '/a?api_key=k%26y'])
  })

  it('is one at the host proxy.…, and at any host with the header of the version', async () => {
    for (const [path, host] of [
      ['/v1/things', 'proxy.example.com'],
      ['/v1/things', 'mortise.example.com'],
      ['/proxy/v1/things', 'mortise.example.com'],
    ] as const) {
      const sent = requestTo(kit.app.url, {
        path,
        headers: { ...kit.headers(installationId), host },
        agent: false,
      }).end()
      const [answer] = await once(sent, 'response')
      answer.resume()
      expect(answer.statusCode).toBe(200)
    }
    expect(kit.provider.seen.map(({ url }) => url)).toEqual(['/api/v1/things', '/api/v1/things', '/api/v1/things'])
  })

  it('a preflight of a browser is answered here', async () => {
    const answer = await kit.call(installationId, '/x', {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    })
    expect([answer.status, kit.provider.seen.length]).toEqual([204, 0])
  })
})

describe('an answer of a provider', () => {
  it('passes with its status, headers and bytes; compressed stays compressed', async () => {
    const zipped = gzipSync('hello'.repeat(1_000))
    kit.provider.answers((_, response) => {
      response.writeHead(418, [
        'Content-Encoding',
        'gzip',
        'Link',
        '<a>',
        'Link',
        '<b>',
        'X-Näme'.replace('ä', 'a'),
        'caf\u00e9',
      ])
      response.end(zipped)
    })
    const answer = await kit.call(installationId, '/x', { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.status).toBe(418)
    expect(answer.body.equals(zipped)).toBe(true)
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', link: '<a>, <b>', 'x-name': 'caf\u00e9' })
    expect(answer.headers['x-mortise-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('loses cookies, headers of its connection, and what pretends to be ours', async () => {
    kit.provider.answers((_, response) => {
      response.writeHead(200, {
        'set-cookie': ['a=1', 'b=2'],
        connection: 'x-hop, keep-alive',
        'x-hop': '1',
        'proxy-authenticate': 'Basic',
        'x-amp-retry-after': 'never',
        'x-mortise-retryable': 'no',
        'x-kept': '1',
      })
      response.end('x')
    })
    const { headers } = await kit.call(installationId, '/x')
    for (const name of ['set-cookie', 'x-hop', 'proxy-authenticate', 'x-amp-retry-after', 'x-mortise-retryable'])
      expect(headers[name]).toBeUndefined()
    expect(headers['x-kept']).toBe('1')
  })

  it('comes event by event', async () => {
    let next: (text: string) => void = () => undefined
    kit.provider.answers((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      next = (text) => void response.write(text)
    })
    const controller = new AbortController()
    const answer = await fetch(`${kit.app.url}/proxy/events`, {
      headers: kit.headers(installationId),
      signal: controller.signal,
    })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      next(event)
      expect((await reader.read()).value).toBe(event)
    }
    controller.abort()
    await expect.poll(() => kit.provider.open.size, patience).toBe(0)
  })

  it('that breaks off never looks whole', async () => {
    for (const headers of [{ 'content-length': '100' }, {}]) {
      kit.provider.answers((_, response) => {
        response.writeHead(200, headers)
        response.write('half', () => response.destroy())
      })
      await expect(kit.call(installationId, '/x')).rejects.toThrow(/aborted|hang up|terminated|ECONNRESET/)
    }
  })

  it('is held back while the client does not take it', async () => {
    const chunk = Buffer.alloc(64 * 1024)
    let written = 0
    kit.provider.answers((_, response) => {
      const source = new Readable({
        read() {
          written += chunk.length
          this.push(written > 1024 * 1024 * 1024 ? null : chunk)
        },
      })
      source.pipe(response)
    })
    const sent = requestTo(kit.app.url, { path: '/proxy/x', headers: kit.headers(installationId), agent: false }).end()
    const [answer] = await once(sent, 'response')
    answer.pause()
    let before = -1
    await expect
      .poll(
        () => {
          const still = written === before
          before = written
          return still
        },
        { ...patience, interval: 500 },
      )
      .toBe(true)
    expect(written).toBeLessThan(64 * 1024 * 1024)
    sent.destroy()
    await expect.poll(() => kit.provider.open.size, patience).toBe(0)
  })
})

describe('a body', () => {
  const boundary = '----x'
  const multipart = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\n\u0000\u0001\r\n--${boundary}--\r\n`,
    'latin1',
  )

  it('of several parts passes byte for byte', async () => {
    const type = `multipart/form-data; boundary=${boundary}`
    await kit.call(installationId, '/upload', { method: 'POST', headers: { 'content-type': type }, body: multipart })
    expect(kit.provider.seen[0]?.headers['content-type']).toBe(type)
    expect(kit.provider.seen[0]?.body.equals(multipart)).toBe(true)
  })

  it('without a length is passed on in chunks as it comes', async () => {
    let first = ''
    kit.provider.answers((request, response) => {
      request.once('data', (chunk: Buffer) => {
        first = chunk.toString()
      })
      request.on('end', () => response.end(String(request.headers['transfer-encoding'])))
    })
    const sent = requestTo(kit.app.url, {
      method: 'POST',
      path: '/proxy/x',
      headers: kit.headers(installationId),
      agent: false,
    })
    sent.write('one')
    await expect.poll(() => first, patience).toBe('one')
    sent.end('two')
    const [answer] = await once(sent, 'response')
    expect((await answer.toArray()).join('')).toBe('chunked')
  })

  it('that its sender gives up is given up at the provider', async () => {
    let aborted = false
    let begun = false
    kit.provider.answers((request) => {
      begun = true
      request
        .on('error', () => undefined)
        .once('close', () => {
          aborted = !request.complete
        })
      request.resume()
    })
    const headers = kit.headers(installationId, { 'content-length': '1000' })
    const sent = requestTo(kit.app.url, { method: 'POST', path: '/proxy/x', headers, agent: false })
    sent.on('error', () => undefined).write('some')
    await expect.poll(() => begun, patience).toBe(true)
    sent.destroy()
    await expect.poll(() => aborted, patience).toBe(true)
  })
})

describe('what is refused', () => {
  it('without headers, with all of them named', async () => {
    const answer = await fetch(`${kit.app.url}/proxy/x`, { headers: { 'x-api-key': kit.app.apiKey } })
    expect(answer.status).toBe(400)
    const problem = problemOf({ body: Buffer.from(await answer.arrayBuffer()) })
    expect(problem).toMatchObject({ subsystem: 'proxy', context: { code: 'proxy-headers-invalid' } })
    expect(problem.issues?.map(({ name }) => name)).toEqual([
      'x-mortise-proxy-version',
      'x-mortise-project-id',
      'x-mortise-installation-id',
    ])
  })

  it.each([
    [{ 'x-amp-proxy-version': '2' }, 400, 'proxy-headers-invalid'],
    [{ 'x-amp-rate-limiter-mode': 'queue' }, 400, 'proxy-headers-invalid'],
    [{ 'x-amp-installation-id': '00000000-0000-7000-8000-000000000000' }, 404, 'proxy-installation-not-found'],
    [{ 'x-amp-installation-id': 'none' }, 404, 'proxy-installation-not-found'],
    [{ 'x-amp-project-id': 'another' }, 404, 'not-found'],
  ])('%j: %i', async (headers, status, code) => {
    const answer = await kit.call(installationId, '/x', { headers })
    expect([answer.status, problemOf(answer).context.code]).toEqual([status, code])
    expect(kit.provider.seen).toEqual([])
  })

  it('whoever is no full key of the project', async () => {
    for (const [key, status] of [
      ['', 401],
      [kit.app.frontendKey, 403],
      [kit.app.otherProject.apiKey, 404],
    ] as const)
      expect((await kit.call(installationId, '/x', { headers: { 'x-api-key': key } })).status).toBe(status)
  })

  it('what the manifest or the config does not enable', async () => {
    const off = await kit.install('keyed', 'off', undefined, { enabled: false })
    const closed = await kit.install('closed', 'closed')
    for (const { id } of [off, closed]) {
      const answer = await kit.call(id, '/x')
      expect([answer.status, problemOf(answer).context.code]).toEqual([403, 'proxy-not-enabled'])
    }
    expect(kit.provider.seen).toEqual([])
  })

  it('a provider that cannot be reached: 502; one that is too slow: 504', async () => {
    const gone = createServer().listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const { port } = gone.address() as AddressInfo
    await new Promise((resolve) => gone.close(resolve))
    const { id } = await kit.install('keyed', 'gone', {
      apiKey: 'x',
      providerMetadata: { url: `http://127.0.0.1:${port}` },
    })
    const answer = await kit.call(id, '/x', { method: 'POST', body: 'x'.repeat(100_000) })
    expect([answer.status, problemOf(answer).subsystem]).toEqual([502, 'proxy'])
    expect(answer.body.toString()).not.toContain('/api')
  })
})

describe('a change', () => {
  it('of the config, the manifest or the installation is heeded at once', async () => {
    const { id } = await kit.install('keyed', 'changing')
    const status = async () => (await kit.call(id, '/x')).status
    const path = `${kit.base}/integrations/keyed/installations/${id}`
    const enable = (enabled: boolean) =>
      kit.made('PATCH', path, {
        updateMask: ['config.content.proxy.enabled'],
        installation: { config: { content: { provider: 'keyed', proxy: { enabled } } } },
      })
    expect(await status()).toBe(200)
    await enable(false)
    await expect.poll(status, patience).toBe(403)
    await enable(true)
    await expect.poll(status, patience).toBe(200)
    await kit.deploy(
      proxyManifest.replace(
        'keyed, provider: keyed, proxy: { enabled: true }',
        'keyed, provider: keyed, proxy: { enabled: false }',
      ),
    )
    await expect.poll(status, patience).toBe(403)
    await kit.deploy(proxyManifest)
    await expect.poll(status, patience).toBe(200)
    await kit.made('DELETE', path, undefined)
    await expect.poll(status, patience).toBe(404)
  })
})
