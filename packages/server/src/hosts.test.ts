import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './testkit/test-app.ts'
import { signInBuilder } from './testkit/test-builder.ts'

/** The paths of the interface that other hosts and other prefixes serve. */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())

interface Body {
  status: number
  detail: string
  context: { code: string; operation?: string }
  issues?: { name: string }[]
}
const missing = randomUUID()
const account = { provider: 'hubspot', groupRef: 'g', consumerRef: 'c' }
it.each([
  // The project is found; it has no app of the provider, whose authentication is not custom.
  [{ projectIdOrName: 'DEFAULT', ...account }, 400, /^provider(AppId)?$/],
  [{ projectIdOrName: 'other', ...account }, 404, undefined],
  [{ projectIdOrName: 'no-such-project', ...account }, 404, undefined],
  [account, 400, /^projectIdOrName$/],
  [{ ...account, projectIdOrName: null }, 400, /^projectIdOrName$/],
  [[], 400, /^body$/],
])('where the project stands in the body, %j is answered %i', async (body, status, named) => {
  const { headers: builder } = await signInBuilder(app, { email: 'one@example.com', role: 'developer' })
  for (const path of ['/oauth-connect', '/custom-auth/connect'])
    for (const who of [{}, { apiKey: null, headers: builder }]) {
      const answer = await app.call<Body>('POST', path, body, who)
      expect(answer.status).toBe(status)
      if (named) expect(answer.body.issues?.map(({ name }) => name)).toContainEqual(expect.stringMatching(named))
      else expect(answer.body.issues).toBeUndefined()
    }
})

it('the project of a request to the proxy stands in a header, and its developers may send one', async () => {
  const { headers } = await signInBuilder(app, { email: 'one@example.com', role: 'owner' })
  const operator = await signInBuilder(app, { email: 'operator@example.com', role: 'operator' })
  const stranger = await signInBuilder(app, { email: 'stranger@example.com' })
  const ask = async (project: string | undefined, who: { apiKey?: null; headers?: Record<string, string> }) => {
    const named = { ...who.headers, ...(project !== undefined && { 'x-amp-project-id': project }) }
    return (await app.call('GET', '//proxy/v1/things', undefined, { ...who, headers: named })).status
  }
  expect([await ask('default', {}), await ask(app.projectId, {}), await ask('other', {})]).toEqual([400, 400, 404])
  const asPerson = { apiKey: null, headers } as const
  expect([await ask('default', asPerson), await ask('other', asPerson)]).toEqual([400, 404])
  expect(await ask('default', { apiKey: null, headers: operator.headers })).toBe(403)
  expect(await ask('default', { apiKey: null, headers: stranger.headers })).toBe(404)
  expect(await ask('default', { apiKey: null })).toBe(401)
})

it('a body of any media type is taken for one to the proxy', async () => {
  const answer = await app.call<Body>('POST', '//proxy/upload', '<x/>', { headers: { 'content-type': 'text/xml' } })
  expect([answer.status, answer.body.context.code]).toEqual([400, 'proxy-headers-invalid'])
})

it('the proxy stands in no document', async () => {
  expect(JSON.stringify((await app.call('GET', '/openapi.json')).body)).not.toContain('"/proxy')
})

const shared = '/projects/default/integrations/crm/objects/contacts'
it.each([
  // A write is asked for a group, in plain text; a read finds that there is no such integration.
  [{ type: 'create', mode: 'async', record: {} }, 400, 'text/plain'],
  [{ type: 'delete' }, 400, 'text/plain'],
  [{ groupRef: 'g', mode: 'async' }, 404, 'application/problem+json'],
])('without host or prefix, %j is told from its body', async (body, status, mediaType) => {
  const answer = await app.call<Body>('POST', shared, body)
  expect([answer.status, answer.headers.get('content-type')?.split(';', 1)[0]]).toEqual([status, mediaType])
})

it.each([{}, { mode: 'synchronous' }, { type: 'upsert', mode: 'async' }, [], 'x', null])(
  'without host or prefix, %j is neither',
  async (body) => {
    const answer = await app.call<Body>('POST', shared, JSON.stringify(body))
    expect([answer.status, answer.body.issues?.map(({ name }) => name)]).toEqual([400, ['type']])
  },
)

it.each([
  ['read.example.com', '/v1/projects/default/integrations/crm/objects/contacts', {}, 404],
  ['write.example.com', '/v1/projects/default/integrations/crm/objects/contacts', {}, 400],
  ['search.example.com', '/v1/projects/default/integrations/crm', {}, 400],
  ['proxy.example.com', '/v1/projects', {}, 400],
  ['mortise.example.com', '/v1/projects', { 'x-amp-proxy-version': '1' }, 400],
  ['mortise.example.com', '/v1/oauth-connect', { 'x-mortise-proxy-version': '1' }, 400],
])('%s%s %j reaches its operation', async (host, path, more, status) => {
  // `fetch` sets Host itself.
  const answer = await app.app.http.inject({
    method: 'POST',
    url: path,
    headers: { host, 'x-api-key': app.apiKey, ...more },
    payload: { groupRef: 'g', mode: 'async' },
  })
  expect(answer.statusCode).toBe(status)
})

it('operations that no release has are no routes', async () => {
  for (const [method, path] of [
    ['POST', '/projects/default/groups'],
    ['POST', '/projects/default/consumers'],
    ['GET', `/orgs/${missing}/billing`],
  ] as const)
    expect((await app.call<Body>(method, path)).body.context.code).toBe('no-such-route')
})
