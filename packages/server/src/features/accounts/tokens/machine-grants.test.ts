import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type AuthorizationServer,
  authorizationClients,
  authorizationProvider,
  startAuthorizationServer,
} from '../../../testkit/authorization-server.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

interface Body {
  id: string
  status: string
  authScheme: string
  providerApp?: { id: string; clientId: string }
  providerConsumerRef?: string
  providerMetadata?: Record<string, { value: string; source: string; displayName?: string }>
  oauth2AuthorizationCode?: { accessToken?: { token: string }; refreshToken?: { token: string }; scopes?: string[] }
}
interface ProblemBody {
  issues: { name: string; detail: string }[]
}

let server: AuthorizationServer
let app: TestApp
let providersDir: string
let groups = 0
let groupRef = ''

beforeAll(async () => {
  server = await startAuthorizationServer()
  server.people.set('ann', 'swordfish-secret')
  providersDir = await mkdtemp(join(tmpdir(), 'mortise-own-grants-'))
  const whoami = { url: `${server.origin}/api/whoami`, path: 'path' }
  const files = {
    robots: authorizationProvider(server, 'robots', 'clientCredentials'),
    persons: authorizationProvider(server, 'persons', 'password'),
    codes: authorizationProvider(server, 'codes', 'authorizationCode'),
    telling: authorizationProvider(
      server,
      'telling',
      'clientCredentials',
      { tokenMetadataFields: { others: [{ name: 'tokenType', displayName: 'Type', path: 'token_type' }] } },
      {
        inputs: [{ name: 'given', default: 'default', use: 'kept' }],
        postAuthentication: [
          { name: 'place', request: { ...whoami, capture: '^/api/(?<result>.*)$' } },
          { name: 'unknown', request: { ...whoami, path: 'not.there' } },
          { name: 'elsewhere', request: { url: `${server.origin}/nothing`, path: 'x' } },
        ],
        healthCheck: { path: '/api/{{place}}/health' },
      },
    ),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(providersDir, `${name}.yaml`), text)
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providersDir } })
})
afterAll(async () => {
  await app?.stop()
  await server?.close()
  await rm(providersDir, { recursive: true, force: true })
})
beforeEach(() => {
  groupRef = `group-${++groups}`
})
afterEach(() => {
  server.answerTokens(undefined)
  server.tokenRequests.length = 0
  server.resourceRequests.length = 0
})

const base = () => `/projects/${app.projectId}/connections`
const generate = async (provider: string, credential: object, query = '?verify=true') =>
  await app.call<Body>('POST', `${base()}:generate${query}`, { provider, groupRef, consumerRef: 'ada', ...credential })
const shown = async (id: string, query = '') => (await app.call<Body>('GET', `${base()}/${id}${query}`)).body
const client = { clientId: 'basic', clientSecret: authorizationClients.basic }
const person = { username: 'ann', password: 'swordfish-secret', ...client }

describe('client credentials', () => {
  test('are kept, and a token is had with them; what was sent is never shown', async () => {
    const credential = { oauth2ClientCredentials: { ...client, scopes: ['contacts.read'] } }
    const { status, body } = await generate('robots', credential)
    expect(status).toBe(201)
    expect(body).toMatchObject({ authScheme: 'oauth2/clientCredentials', status: 'working' })
    expect(body).not.toHaveProperty('oauth2AuthorizationCode')
    const token = (await shown(body.id, '?includeRefreshToken=true')).oauth2AuthorizationCode
    expect(token).toEqual({
      accessToken: expect.objectContaining({ token: expect.any(String) }),
      scopes: ['contacts.read'],
    })
    expect(server.resourceRequests.at(-1)).toMatchObject({
      path: '/me',
      authorization: `Bearer ${token?.accessToken?.token}`,
    })
    expect(server.tokenRequests).toHaveLength(1)

    const { rows } = await sql<{ encrypted: string }>`
      select encrypted from connection_credentials where connection_id = ${body.id}`.execute(app.db.sql)
    expect(rows[0]?.encrypted).toMatch(/^v1\./)
    const everything = [
      JSON.stringify(body),
      JSON.stringify(await shown(body.id, '?includeRefreshToken=true')),
      ...app.logs,
    ]
    expect(everything.join('\n')).not.toContain(client.clientSecret)
  })

  test('are checked after the answer unless it is waited for', async () => {
    const { body } = await generate('robots', { oauth2ClientCredentials: client }, '')
    expect(body.status).toBe('created')
    await expect.poll(async () => (await shown(body.id)).status).toBe('working')
  })

  test('that are refused show in the status; the request is never refused', async () => {
    const wrong = { clientId: 'basic', clientSecret: 'wrong' }
    const { status, body } = await generate('robots', { oauth2ClientCredentials: wrong })
    expect(status).toBe(201)
    expect(body.status).toBe('bad_credentials')
  })

  test('of a provider that is down prove nothing', async () => {
    server.answerTokens((_, response) => response.writeHead(503).end('<html>'))
    const { status, body } = await generate('robots', { oauth2ClientCredentials: client })
    expect(status).toBe(201)
    expect(body.status).toBe('created')
  })

  test('are replaced by a mask, with the tokens that they gave', async () => {
    const { body } = await generate('robots', { oauth2ClientCredentials: { clientId: 'basic', clientSecret: 'wrong' } })
    const patched = await app.call<Body>('PATCH', `${base()}/${body.id}?verify=true`, {
      updateMask: ['oauth2ClientCredentials'],
      connection: { oauth2ClientCredentials: client },
    })
    expect(patched.status).toBe(200)
    expect(patched.body.status).toBe('working')
    const empty = await app.call<ProblemBody>('PATCH', `${base()}/${body.id}`, {
      updateMask: ['oauth2ClientCredentials', 'oauth2PasswordCredentials'],
      connection: { oauth2PasswordCredentials: person },
    })
    expect(empty.status).toBe(400)
    expect(empty.body.issues.map(({ name }) => name)).toEqual(['updateMask[0]', 'updateMask[1]'])
  })

  test('without a client are no credential', async () => {
    const answer = await app.call<ProblemBody>('POST', `${base()}:generate`, {
      provider: 'robots',
      groupRef,
      consumerRef: 'ada',
      oauth2ClientCredentials: { clientId: '', clientSecret: 'x' },
    })
    expect(answer.status).toBe(400)
    expect(answer.body.issues[0]?.detail).toContain('oauth2ClientCredentials {clientId, clientSecret, scopes}')
  })
})

test('a user name and password get tokens, and are replaced by a mask', async () => {
  const { body } = await generate('persons', { oauth2PasswordCredentials: person })
  expect(body).toMatchObject({ authScheme: 'oauth2/password', status: 'working' })
  const changed = await app.call<Body>('PATCH', `${base()}/${body.id}?verify=true`, {
    updateMask: ['oauth2PasswordCredentials'],
    connection: { oauth2PasswordCredentials: { ...person, password: 'wrong' } },
  })
  expect(changed.body.status).toBe('bad_credentials')
  expect(app.logs.join('\n')).not.toContain('swordfish-secret')
})

describe('an imported refresh token', () => {
  test('gets its first access token from the project’s newest app, and names no app of its own', async () => {
    const { refreshToken } = await server.issue('basic')
    const made = await app.call<{ id: string }>('POST', `/projects/${app.projectId}/provider-apps`, {
      provider: 'codes',
      ...client,
    })
    expect(made.status).toBe(200)
    const { body } = await generate('codes', { oauth2AuthorizationCode: { refreshToken: { token: refreshToken } } })
    expect(body).toMatchObject({ authScheme: 'oauth2/authorizationCode', status: 'working' })
    const tokens = (await shown(body.id, '?includeRefreshToken=true')).oauth2AuthorizationCode
    expect(tokens?.accessToken?.token).toEqual(expect.any(String))
    expect(tokens?.refreshToken?.token, 'it was replaced').not.toBe(refreshToken)
    expect(await shown(body.id)).not.toHaveProperty('providerApp')

    await sql`update connections set provider_app_id = ${made.body.id} where id = ${body.id}`.execute(app.db.sql)
    expect((await shown(body.id)).providerApp).toMatchObject({ id: made.body.id, clientId: 'basic' })
    expect(JSON.stringify(await shown(body.id))).not.toContain(client.clientSecret)
  })
})

describe('what the provider tells', () => {
  test('becomes metadata, and part of the address', async () => {
    const { body } = await generate('telling', { oauth2ClientCredentials: client })
    expect(body.status).toBe('working')
    expect((await shown(body.id)).providerMetadata).toEqual({
      tokenType: { value: 'bearer', source: 'token', displayName: 'Type' },
      place: { value: 'whoami', source: 'provider' },
    })
    expect(server.resourceRequests.map(({ path }) => path)).toContain('/api/whoami/health')
  })

  test('never replaces what somebody gave', async () => {
    const providerMetadata = { place: 'mine' }
    const { body } = await generate('telling', { oauth2ClientCredentials: client, providerMetadata })
    expect((await shown(body.id)).providerMetadata).toMatchObject({ place: { value: 'mine', source: 'input' } })
    expect(server.resourceRequests.map(({ path }) => path)).toContain('/api/mine/health')
  })
})
