import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openBrowser } from '../../../testkit/browser.ts'
import { type DiscoveryKit, startDiscoveryKit } from './discovery.testkit.ts'
import {
  type HostileServer,
  resourcePath,
  send,
  sendJson,
  serverPath,
  startHostileServer,
} from './hostile-servers.testkit.ts'

let kit: DiscoveryKit
let server: HostileServer
let other: HostileServer
beforeAll(async () => {
  kit = await startDiscoveryKit()
  server = await startHostileServer()
  other = await startHostileServer()
  // Nobody waits for five seconds.
  const { outbound } = kit.app.app.services
  const { request } = outbound
  outbound.request = (options) =>
    request(options.url.toString().includes('hang') ? { ...options, timeoutMs: 200 } : options)
})
afterAll(async () => {
  await kit?.stop()
  await server?.close()
  await other?.close()
})
beforeEach(() => {
  server.reset()
  other.reset()
})

let groups = 0
const start = () => kit.start(`group-${++groups}`, server.url)
const unusable = 'authorization-server-unusable'
const unavailable = 'authorization-server-unavailable'
const hang = () => undefined
const challenge = (url: string) => {
  const header = { 'www-authenticate': `Bearer resource_metadata="${url}"` }
  server.answers['POST /mcp'] = send(401, 'application/json', '{}', header)
}
const answer = (at: string, what: ReturnType<typeof send>) => {
  server.answers[at] = what
}
const html = send(200, 'text/html', '<html><title>Sign in</title>')
const half = send(200, 'application/json', '{"issuer":"http')
const huge = send(200, 'application/json', JSON.stringify({ a: 'x'.repeat(300_000) }))
const nested = send(200, 'application/json', '['.repeat(50_000) + ']'.repeat(50_000))

test('the usual answers of the server lead to its authorization endpoint', async () => {
  const { status, body } = await start()
  expect([status, body.outcome]).toEqual([200, 'redirect'])
  const { authorizationUrl } = await kit.open(body.url)
  expect(new URL(authorizationUrl).searchParams.get('client_id')).toBe('given')
})

describe('metadata of the MCP server', () => {
  test.each<[string, string, () => void]>([
    ['about another server', unusable, () => server.describe({ resource: 'https://bank.example/mcp' })],
    ['about a longer path', unusable, () => server.describe({ resource: `${server.url}/mcp/others` })],
    ['about a page that is no URL', unusable, () => server.describe({ resource: 'mcp' })],
    ['with an http server', unusable, () => server.describe({ authorization_servers: ['http://auth.example'] })],
    ['with a private server', unusable, () => server.describe({ authorization_servers: ['https://10.0.0.1'] })],
    [
      'with the metadata service',
      unusable,
      () => server.describe({ authorization_servers: ['http://169.254.169.254'] }),
    ],
    ['with a script', unusable, () => server.describe({ authorization_servers: ['javascript:alert(1)'] })],
    ['with a query', unusable, () => server.describe({ authorization_servers: [`${server.url}/?a`] })],
    ['with a user', unusable, () => server.describe({ authorization_servers: ['https://a:b@auth.example'] })],
    ['with numbers', unusable, () => server.describe({ authorization_servers: [1, 2] })],
    ['that is half JSON', unusable, () => answer(resourcePath, half)],
    ['that is a list', unusable, () => answer(resourcePath, sendJson([]))],
    ['that is nested deeply', unusable, () => answer(resourcePath, nested)],
    ['that is huge', unavailable, () => answer(resourcePath, huge)],
    ['that breaks', unavailable, () => answer(resourcePath, send(503, 'text/plain', ''))],
    ['at a private address', unusable, () => challenge('https://192.168.0.1/meta')],
    ['at an http address', unusable, () => challenge('http://mcp.example/meta')],
    [
      'at a named address that is a website',
      unusable,
      () => {
        challenge(`${server.url}/page`)
        server.answers['GET /page'] = html
      },
    ],
    ['at a named address that does not exist', unusable, () => challenge(`${server.url}/nothing`)],
    [
      'at a named address that hangs',
      unavailable,
      () => {
        challenge(`${server.url}/hang`)
        server.answers['GET /hang'] = hang
      },
    ],
  ])('%s is refused', async (_, code, change) => {
    change()
    const { status, body } = await start()
    expect([status, body.context?.code]).toEqual([422, code])
    expect(server.requests).not.toContain('POST /register')
  })

  test('that redirects is not followed', async () => {
    for (const status of [301, 302, 307, 308]) {
      const location = `${other.url}/meta`
      challenge(`${server.url}/meta`)
      server.answers['GET /meta'] = send(status, 'application/json', '{}', { location })
      expect((await start()).body.context?.code).toBe(unusable)
      server.answers['GET /meta'] = send(status, 'application/json', '{}', { location: '/elsewhere' })
      expect((await start()).body.context?.code).toBe(unusable)
    }
    expect(other.requests).toEqual([])
    expect(server.requests).not.toContain('GET /elsewhere')
  })

  test('that a website answers is none: the server is its own authorization server then', async () => {
    server.answers[resourcePath] = html
    expect((await start()).status).toBe(200)
    server.answers[resourcePath] = send(302, 'text/html', '', { location: '/login' })
    expect((await start()).status).toBe(200)
  })
})

describe('metadata of the authorization server', () => {
  test.each<[string, string, () => void]>([
    ['of another issuer', unusable, () => server.serve({ issuer: 'https://bank.example' })],
    ['of an issuer with a path', unusable, () => server.serve({ issuer: `${server.url}/tenant` })],
    ['with an http token endpoint', unusable, () => server.serve({ token_endpoint: 'http://auth.example/token' })],
    ['with an http page', unusable, () => server.serve({ authorization_endpoint: 'http://auth.example/a' })],
    ['with a script', unusable, () => server.serve({ authorization_endpoint: 'javascript:alert(1)' })],
    ['with a private token endpoint', unusable, () => server.serve({ token_endpoint: 'https://10.1.2.3/token' })],
    ['with a private registration', unusable, () => server.serve({ registration_endpoint: 'https://[fd00::1]/r' })],
    ['with a port of a database', unusable, () => server.serve({ token_endpoint: 'https://auth.example:5432/t' })],
    ['with a fragment', unusable, () => server.serve({ token_endpoint: `${server.url}/token#a` })],
    ['with a long endpoint', unusable, () => server.serve({ token_endpoint: `${server.url}/${'t'.repeat(3_000)}` })],
    ['without PKCE', unusable, () => server.serve({ code_challenge_methods_supported: undefined })],
    ['with plain PKCE', unusable, () => server.serve({ code_challenge_methods_supported: ['plain'] })],
    ['without codes', unusable, () => server.serve({ response_types_supported: ['token'] })],
    ['without an endpoint', unusable, () => server.serve({ token_endpoint: undefined })],
    ['without registration', unusable, () => server.serve({ registration_endpoint: undefined })],
    ['that is a website', unusable, () => answer(serverPath, html)],
    ['that is half JSON', unusable, () => answer(serverPath, half)],
    ['that is huge', unavailable, () => answer(serverPath, huge)],
    ['that breaks', unavailable, () => answer(serverPath, send(500, 'text/plain', ''))],
    [
      'that redirects',
      unusable,
      () => {
        server.answers[serverPath] = send(302, 'application/json', '', {
          location: `${other.url}${serverPath.slice(4)}`,
        })
      },
    ],
    [
      'that does not arrive',
      unavailable,
      () => {
        server.describe({ authorization_servers: [`${server.url}/hang`] })
        server.answers['GET /.well-known/oauth-authorization-server/hang'] = hang
      },
    ],
  ])('%s is refused', async (_, code, change) => {
    change()
    const { status, body } = await start()
    expect([status, body.context?.code]).toEqual([422, code])
    expect([...server.requests, ...other.requests]).not.toContain('POST /register')
    expect(other.requests).toEqual([])
  })

  test('is found with the path of the issuer inserted, and as that of OpenID Connect', async () => {
    for (const path of [
      'GET /.well-known/oauth-authorization-server/tenant',
      'GET /.well-known/openid-configuration/tenant',
      'GET /tenant/.well-known/openid-configuration',
    ]) {
      server.reset()
      server.describe({ authorization_servers: [`${server.url}/tenant`] })
      server.serve({
        issuer: `${server.url}/tenant`,
        jwks_uri: `${server.url}/jwks`,
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      })
      const usual = server.answers[serverPath]
      delete server.answers[serverPath]
      if (usual) answer(path, usual)
      expect((await start()).status).toBe(200)
    }
  })
})

test.each<[string, string, () => void]>([
  ['that refuses', unusable, () => answer('POST /register', sendJson({ error: 'no' }, 400))],
  ['that answers with a page', unusable, () => answer('POST /register', html)],
  [
    'that redirects',
    unusable,
    () => {
      server.answers['POST /register'] = send(307, 'text/plain', '', { location: `${other.url}/register` })
    },
  ],
  ['that breaks', unavailable, () => answer('POST /register', send(502, 'text/plain', ''))],
  [
    'with a line break in the id',
    unusable,
    () => {
      server.answers['POST /register'] = sendJson({ client_id: 'a\r\nb', redirect_uris: ['https://x.example'] }, 201)
    },
  ],
  [
    'with an empty id',
    unusable,
    () => {
      server.answers['POST /register'] = sendJson({ client_id: '', redirect_uris: ['https://x.example'] }, 201)
    },
  ],
])('a registration %s is none', async (_, code, change) => {
  // Each has an issuer of its own: one that succeeded is used again.
  server.describe({ authorization_servers: [`${server.url}/i${++groups}`] })
  const issuer = `${server.url}/i${groups}`
  server.serve({ issuer })
  answer(`${serverPath}/i${groups}`, server.answers[serverPath] ?? hang)
  change()
  const { status, body } = await start()
  expect([status, body.context?.code]).toEqual([422, code])
  expect(other.requests).toEqual([])
})

describe('the response of the authorization server', () => {
  async function answered(query: (state: string) => string) {
    const { body } = await start()
    const { browser, authorizationUrl } = await kit.open(body.url)
    const state = new URL(authorizationUrl).searchParams.get('state') ?? ''
    return await browser.get(`/callbacks/v1/oauth?${query(state)}`)
  }

  test.each([
    ['without an issuer', () => ''],
    ['of another issuer', () => `&iss=${encodeURIComponent(other.url)}`],
    ['of nearly the issuer', () => `&iss=${encodeURIComponent(`${server.url}/`)}`],
  ])('%s sends no code anywhere', async (_, iss) => {
    const { status } = await answered((state) => `code=x&state=${state}${iss()}`)
    expect(status).toBe(400)
    expect([...server.requests, ...other.requests]).not.toContain('POST /token')
  })

  test('of the issuer sends the code to the token endpoint that was discovered before, and to no other', async () => {
    server.serve({ token_endpoint: `${other.url}/token` })
    const { body } = await start()
    const { browser, authorizationUrl } = await kit.open(body.url)
    const state = new URL(authorizationUrl).searchParams.get('state') ?? ''
    // What the server says from now on does not matter for this flow.
    server.serve({ token_endpoint: `${server.url}/token` })
    const query = new URLSearchParams({ code: 'x', state, iss: server.url })
    await browser.get(`/callbacks/v1/oauth?${query}`)
    expect(other.requests).toEqual(['POST /token'])
    expect(server.requests).not.toContain('POST /token')
  })

  test('leads to no redirect of the token endpoint', async () => {
    server.answers['POST /token'] = send(307, 'text/plain', '', { location: `${other.url}/token` })
    const { status } = await answered((state) => `code=x&state=${state}&iss=${encodeURIComponent(server.url)}`)
    expect(status).toBe(400)
    expect(other.requests).toEqual([])
  })
})

test('a page without scripts says what is wrong', async () => {
  server.serve({ code_challenge_methods_supported: ['plain'] })
  const created = await kit.app.call<{ url: string }>('POST', '/projects/default/connect-sessions', {
    provider: 'sampleMcpOAuth',
    groupRef: 'page',
    consumerRef: 'ada',
  })
  const browser = openBrowser(kit.app.url)
  const form = await browser.get(`${new URL(created.body.url).pathname}/form`)
  const origin = 'http://connect.localhost:4100'
  const sent = await browser.submit(form, { 'providerMetadata.url': server.url }, { headers: { origin } })
  expect([sent.status, sent.text]).toEqual([400, expect.stringContaining('does not offer PKCE with S256')])
})
