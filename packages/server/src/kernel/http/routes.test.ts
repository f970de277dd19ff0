import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { endpoint, Path, ProjectPath, Ref, reply } from './index.ts'
import { withPlainVerb } from './routes.ts'
import { startTestServer } from './test-server.testkit.ts'

const Seen = Type.Object({ endpoint: Type.String(), id: Type.Optional(Type.String()) })
const connection = Path({ ...ProjectPath.properties, connectionId: Ref })

const declare = (id: string, method: 'GET' | 'POST' | 'PUT', path: string) =>
  endpoint({
    id,
    method,
    path,
    access: 'develop',
    summary: id,
    tag: 'Test',
    params: path.includes('{connectionId}') ? connection : ProjectPath,
    query: Type.Object({ view: Type.Optional(Type.String()) }),
    reply: { 200: Seen },
    run: async ({ params }) =>
      reply(200, { endpoint: id, ...('connectionId' in params && { id: String(params.connectionId) }) }),
  })

const endpoints = [
  declare('list', 'GET', '/projects/{projectIdOrName}/connections'),
  declare('generate', 'POST', '/projects/{projectIdOrName}/connections:generate'),
  declare('batch', 'PUT', '/projects/{projectIdOrName}/connections:batch'),
  declare('get', 'GET', '/projects/{projectIdOrName}/connections/{connectionId}'),
  declare('replace', 'PUT', '/projects/{projectIdOrName}/connections/{connectionId}'),
  declare('oauthUpdate', 'PUT', '/projects/{projectIdOrName}/connections/{connectionId}:oauth-update'),
  declare('test', 'POST', '/projects/{projectIdOrName}/connections/{connectionId}:test'),
  declare('nested', 'GET', '/projects/{projectIdOrName}/connections/{connectionId}/objects'),
]

describe('colon verbs and their plain siblings', () => {
  test.each([
    ['GET', '', 'list'],
    ['POST', ':generate', 'generate'],
    ['PUT', ':batch', 'batch'],
  ])('%s connections%s is %s', async (method, path, id) => {
    const server = await startTestServer(endpoints)
    const answer = await server.call(method, `/v1/projects/shop/connections${path}`)
    expect(answer).toMatchObject({ status: 200, body: { endpoint: id } })
  })

  test.each([
    ['POST', '/v1/projects/shop/connections%3Agenerate', 'generate'],
    ['PUT', '/v1/projects/shop/connections%3abatch?view=b%3Ac/d', 'batch'],
    ['PUT', '/v1/projects/shop/connections/c%3Aoauth-update', 'oauthUpdate'],
    ['PUT', '/v1/projects/shop/connections/c%3Anope', 'replace'],
  ])('%s %s, with an encoded colon, is %s', async (method, path, id) => {
    const server = await startTestServer(endpoints)
    expect(await server.call(method, path)).toMatchObject({ status: 200, body: { endpoint: id } })
  })

  test.each([
    '/proxy/v1/connections%3Agenerate',
    '/v1/projects/shop/connections%3Agenerate/objects',
    '/v1/projects/shop/a%2Fb%3Agenerate',
    '/v1/projects/shop/connections?verb=a%3Ab',
    '/v1/projects/shop/connections%3A',
  ])('%s stays as it is', (url) => {
    expect(withPlainVerb(url)).toBe(url)
  })

  test.each(['plain', 'with.dots.json', 'a%2Fb', 'a%3Ab', 'a%3Atest', '%25', 'über%20uns', 'a%2Fb%3Ac.d'])(
    'the id %s arrives decoded, with and without a verb',
    async (id) => {
      const server = await startTestServer(endpoints)
      const at = `/v1/projects/shop/connections/${id}`
      const decoded = decodeURIComponent(id)
      for (const [method, path, name] of [
        ['GET', at, 'get'],
        ['PUT', at, 'replace'],
        ['PUT', `${at}:oauth-update`, 'oauthUpdate'],
        ['POST', `${at}:test`, 'test'],
        ['GET', `${at}/objects`, 'nested'],
      ] as const) {
        const answer = await server.call(method, path)
        expect(answer, `${method} ${path}`).toMatchObject({ status: 200, body: { endpoint: name, id: decoded } })
      }
    },
  )

  test('an unknown verb of a collection is no endpoint', async () => {
    const server = await startTestServer(endpoints)
    for (const path of [
      '/v1/projects/shop/connections:nope',
      '/v1/projects/shop/connections:',
      '/v1/projects/shop:batch',
    ]) {
      const answer = await server.call('POST', path)
      expect(answer, path).toMatchObject({ status: 404, body: { context: { code: 'no-such-route' } } })
    }
  })

  test('an unknown verb of an item is no endpoint where no plain sibling has the method', async () => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('POST', '/v1/projects/shop/connections/c1:nope')
    expect(answer).toMatchObject({ status: 404, body: { context: { code: 'no-such-route' } } })
  })

  test('an unknown verb of an item with a plain sibling reaches it as part of the id, which no row has', async () => {
    const server = await startTestServer(endpoints)
    const answer = await server.call('PUT', '/v1/projects/shop/connections/c1:nope')
    expect(answer).toMatchObject({ status: 200, body: { endpoint: 'replace', id: 'c1:nope' } })
  })
})

describe('paths that lead nowhere', () => {
  test('an unknown path and an unknown method answer a problem', async () => {
    const server = await startTestServer(endpoints)
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/v1/nope'],
      ['DELETE', '/v1/projects/shop/connections'],
      ['GET', `/v1/projects/shop/connections/${'x'.repeat(3_000)}`],
    ] as const) {
      const answer = await server.call(method, path)
      expect(answer, path).toMatchObject({ status: 404, body: { context: { code: 'no-such-route' } } })
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    }
  })

  test('a browser gets a page, which does not repeat the address', async () => {
    const server = await startTestServer(endpoints)
    const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    for (const path of ['/nope-<b>', '/v1/nope', `/${'x'.repeat(3_000)}`]) {
      const answer = await server.call('GET', path, { headers: browser })
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.text).toContain('<h1>Page not found</h1>')
      expect(answer.text).toContain(`Request ${answer.headers.get('x-request-id')}`)
      expect(answer.text).not.toMatch(/nope|xxx/)
    }
    const sent = await server.call('POST', '/v1/nope', { headers: browser })
    expect(sent.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  })

  test.each(['/v1/projects/%zz/connections', '/v1/projects/%/connections', '/v1/projects/%C3%28/connections', '/%zz'])(
    'bad percent-encoding in %s is the fault of the path',
    async (path) => {
      const server = await startTestServer(endpoints)
      const answer = await server.call('GET', path)
      expect(answer).toMatchObject({
        status: 400,
        body: { context: { code: 'invalid-input' }, issues: [{ in: 'path' }] },
      })
      expect(answer.headers.get('x-request-id')).toBe(answer.body['requestId'])
    },
  )

  test('a path outside /v1 is declared with two slashes', async () => {
    const outside = endpoint({
      id: 'outside',
      method: 'GET',
      path: '//healthz',
      access: 'public',
      summary: 'x',
      tag: 'Test',
      reply: { 200: Seen },
      run: async () => reply(200, { endpoint: 'outside' }),
    })
    const server = await startTestServer([outside])
    expect((await server.call('GET', '/healthz')).status).toBe(200)
    expect((await server.call('GET', '/v1/healthz')).status).toBe(404)
  })
})

describe('a path whose last parameter takes the rest', () => {
  const page = (id: string, path: string, takesRest = false) =>
    endpoint({
      id,
      method: 'GET',
      path,
      ...(takesRest && { takesRest: true as const }),
      access: 'public',
      summary: id,
      tag: 'Test',
      params: Path({ page: Ref }),
      reply: { 200: Seen },
      run: async ({ params }) => reply(200, { endpoint: id, id: params.page }),
    })

  test('gets it with its slashes, decoded, where no other path fits', async () => {
    const server = await startTestServer([page('rest', '//app/{page}', true), page('asset', '//app/assets/{page}')])
    const seen = async (path: string) => (await server.call('GET', path)).body
    expect(await seen('/app/a/b%20c/')).toEqual({ endpoint: 'rest', id: 'a/b c/' })
    expect(await seen('/app/assets/a')).toEqual({ endpoint: 'asset', id: 'a' })
    expect(await seen('/app/assets/a/b')).toEqual({ endpoint: 'rest', id: 'assets/a/b' })
    expect((await server.call('GET', '/app')).status).toBe(404)
    expect((await server.call('GET', `/app/${'a/'.repeat(300)}`)).status).toBe(400)
  })
})
