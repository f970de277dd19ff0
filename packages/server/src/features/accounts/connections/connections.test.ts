import { resolve } from 'node:path'
import { ProviderError } from '@mortise/providers'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type SampleCrm, startSampleCrm } from '../../../../../../examples/sample-crm/src/index.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { type ConnectionStatus, openConnector, openProviderAccess } from '../../provider-calls/calls/index.ts'
import { reportUse } from './report-use.ts'
import { findRateLimitedUntil, lockConnection, setRateLimitedUntil } from './store.ts'

interface Body {
  id: string
  status: ConnectionStatus
  authScheme: string
  apiKey?: string
  group: { groupRef: string; groupName: string }
  consumer: { consumerName: string }
  providerMetadata?: Record<string, unknown>
  oauth2AuthorizationCode?: { accessToken?: { token: string }; refreshToken?: { token: string }; scopes?: string[] }
}
interface ProblemBody {
  title: string
  context: { code: string }
  issues: { in: string; name: string; detail: string; remedy?: string; value?: unknown }[]
}

const providers = resolve(import.meta.dirname, '../../../../../../examples/sample-crm/providers')
let app: TestApp
let crm: SampleCrm
let groups = 0
let groupRef = ''

beforeAll(async () => {
  crm = await startSampleCrm({ contacts: 100, rateLimit: 0 })
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providers } })
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
})
beforeEach(() => {
  groupRef = `group-${++groups}`
})

const manifest = {
  specVersion: '1.0.0',
  integrations: [
    {
      name: 'crm',
      provider: 'sampleCrm',
      read: { objects: [{ objectName: 'contacts', destination: 'hook', schedule: '0 0 29 2 *' }] },
    },
  ],
}
const base = () => `/projects/${app.projectId}`
const sample = () => ({
  groupRef,
  consumerRef: 'ada',
  provider: 'sampleCrm',
  apiKey: 'demo-key',
  providerMetadata: { url: crm.url },
})
const generate = <T = Body>(body: unknown, query = '', options = {}) =>
  app.call<T>('POST', `${base()}/connections:generate${query}`, body, options)
const get = (id: string, query = '', options = {}) =>
  app.call<Body>('GET', `${base()}/connections/${id}${query}`, undefined, options)
const made = async (body: unknown = sample(), query = '') => {
  const answer = await generate(body, query)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

describe('generating', () => {
  test('an account is connected: 201, created, with everything that clients rely on', async () => {
    const connection = await made({ ...sample(), groupName: 'Analytical Engines' })
    expect(connection).toMatchObject({
      projectId: app.projectId,
      provider: 'sampleCrm',
      status: 'created',
      authScheme: 'apiKey',
      group: { groupRef, groupName: 'Analytical Engines', projectId: app.projectId },
      consumer: { consumerRef: 'ada', consumerName: 'ada', projectId: app.projectId },
      providerMetadata: { url: { value: crm.url, source: 'input' } },
    })
    expect(connection).not.toHaveProperty('updateTime')
  })

  test('the health check runs right after, and moves the status', async () => {
    const good = await made()
    await vi.waitFor(async () => expect((await get(good.id)).body.status).toBe('working'), { timeout: 30_000 })
    const bad = await made({ ...sample(), apiKey: 'wrong', consumerRef: 'bob' })
    await vi.waitFor(async () => expect((await get(bad.id)).body.status).toBe('bad_credentials'), { timeout: 30_000 })
  })

  test('verify=true waits for the health check, and answers 201 whatever it says', async () => {
    expect((await made(sample(), '?verify=true')).status).toBe('working')
    expect((await made({ ...sample(), apiKey: 'wrong' }, '?verify=true')).status).toBe('bad_credentials')
    const away = { ...sample(), providerMetadata: { url: 'http://127.0.0.1:9' } }
    expect((await generate(away, '?verify=true')).status).toBe(400)
  })

  test('a provider that is away is asked again later', async () => {
    crm.failNext(1, 500)
    const { id, status } = await made(sample(), '?verify=true')
    expect(status).toBe('created')
    await vi.waitFor(async () => expect((await get(id)).body.status).toBe('working'), { timeout: 30_000 })
  })

  test('the same account again is updated in place and keeps its id', async () => {
    const first = await made({ ...sample(), apiKey: 'wrong' }, '?verify=true')
    const again = await made()
    expect(again).toMatchObject({ id: first.id, status: 'created' })
    expect(again).toHaveProperty('updateTime')
    expect((await get(first.id, '?includeCreds=true')).body.apiKey).toBe('demo-key')
  })

  test('another group, consumer or workspace is another connection; no workspace is one of its own', async () => {
    const ids = new Set<string>()
    for (const change of [
      {},
      { consumerRef: 'bob' },
      { providerWorkspaceRef: 'w1' },
      { providerWorkspaceRef: 'w2' },
      { groupRef: `${groupRef}b` },
    ])
      ids.add((await made({ ...sample(), ...change })).id)
    expect(ids.size).toBe(5)
    expect(ids).toContain((await made({ ...sample(), providerWorkspaceRef: '' })).id)
  })

  test('the same account at the same moment is one connection', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => made()))
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
  })

  test('names default to the refs, and a later different name updates them', async () => {
    expect((await made()).group.groupName).toBe(groupRef)
    expect((await made({ ...sample(), groupName: 'New', consumerName: 'Ada L.' })).group.groupName).toBe('New')
    const again = await made()
    expect(again).toMatchObject({ group: { groupName: 'New' }, consumer: { consumerName: 'Ada L.' } })
  })

  test.each([[{ 'not a url': 1, deep: { a: ['b'] } }], ['text'], [[1, 2]], [null]])(
    'metadata of any shape is accepted: %j',
    async (metadata) => {
      const provider = {
        groupRef,
        consumerRef: 'ada',
        provider: 'aircall',
        apiKey: 'k',
        basicAuth: { username: 'u', password: 'p' },
      }
      const answer = await generate({ ...provider, providerMetadata: metadata })
      expect(answer.status).toBe(201)
      expect(typeof answer.body.providerMetadata === 'object' || answer.body.providerMetadata === undefined).toBe(true)
    },
  )

  test('metadata that is not sent again stays, except what decides the address', async () => {
    await made({ ...sample(), providerMetadata: { url: crm.url, note: 'mine' } })
    const { providerMetadata: _, ...rest } = sample()
    expect((await generate(rest)).body.providerMetadata).toEqual({ note: { value: 'mine', source: 'input' } })
  })

  test('a provider without a connector can be connected: basic and API key', async () => {
    const basic = { groupRef, consumerRef: 'ada', provider: 'ashby', basicAuth: { username: 'key', password: '' } }
    expect((await made(basic)).authScheme).toBe('basic')
    expect((await made({ groupRef, consumerRef: 'ada', provider: 'accuLynx', apiKey: 'k' })).authScheme).toBe('apiKey')
  })

  test('OAuth tokens can be imported, and are kept for whoever asks', async () => {
    const tokens = {
      accessToken: { token: 'at-1', expiresAt: '2030-01-01T00:00:00Z' },
      refreshToken: { token: 'rt-1' },
      scopes: ['contacts'],
    }
    const body = { groupRef, consumerRef: 'ada', provider: 'hubspot', oauth2AuthorizationCode: tokens }
    const connection = await made(body)
    expect(connection).toMatchObject({ authScheme: 'oauth2/authorizationCode', oauth2AuthorizationCode: tokens })
    expect((await get(connection.id)).body).not.toHaveProperty('oauth2AuthorizationCode')
    const { refreshToken: _, ...withoutRefresh } = tokens
    expect((await get(connection.id, '?includeCreds=true')).body.oauth2AuthorizationCode).toEqual(withoutRefresh)
    expect((await get(connection.id, '?includeRefreshToken=true')).body.oauth2AuthorizationCode).toEqual(tokens)
  })

  test('a refresh token alone that cannot be renewed is kept, sends nothing, and is bad', async () => {
    const tokens = { refreshToken: { token: 'rt-1', issuedAt: '2026-01-01T00:00:00Z' } }
    const body = { groupRef, consumerRef: 'ada', provider: 'pipedrive', oauth2AuthorizationCode: tokens }
    const connection = await made(body, '?verify=true')
    expect(connection).toMatchObject({ status: 'bad_credentials', oauth2AuthorizationCode: tokens })
    expect((await get(connection.id, '?includeRefreshToken=true')).body.oauth2AuthorizationCode).toEqual(tokens)
    expect((await get(connection.id, '?includeCreds=true')).body.oauth2AuthorizationCode).toEqual({})
    const { connector } = await openConnector(app.db, app.app.services, connection.id)
    await expect(connector.readPage({ object: 'deals', fields: 'all' })).rejects.toMatchObject({
      class: 'auth_invalidated',
    })
  })

  test('what has nothing to be renewed with stays as it is, what is refused becomes bad', async () => {
    const generated = async (
      accessToken: object | undefined,
      refreshToken: object | undefined,
      consumerRef: string,
    ) => {
      const oauth2AuthorizationCode = { ...(accessToken && { accessToken }), ...(refreshToken && { refreshToken }) }
      return (await made({ groupRef, consumerRef, provider: 'hubspot', oauth2AuthorizationCode })).id
    }
    const valid = await generated({ token: 'a', expiresAt: '2999-01-01T00:00:00Z' }, undefined, 'a')
    const expired = await generated({ token: 'b', expiresAt: '2020-01-01T00:00:00Z' }, { token: 'r' }, 'b')
    const none = await generated(undefined, { token: 'r' }, 'c')
    const key = (await made()).id
    const answers = async (refresh: string) => {
      const all = await Promise.all([valid, expired, none, key].map((id) => get(id, `?refresh=${refresh}`)))
      return all.map(({ status, body }) => `${status} ${body.status === 'bad_credentials' ? 'bad' : 'good'}`)
    }
    // The project has no app of the provider.
    expect(await answers('ifExpired')).toEqual(['200 good', '200 bad', '200 bad', '200 good'])
    expect(await answers('force')).toEqual(['200 good', '200 bad', '200 bad', '200 good'])
    expect((await get(valid, '?refresh=ifExpired')).body).not.toHaveProperty('oauth2AuthorizationCode')
    expect((await get(valid, '?refresh=sometimes')).status).toBe(400)
  })

  test('custom inputs are kept and sent as the provider declares', async () => {
    const customAuth = { apiKey: 'k-1', apiSecret: 's-1' }
    const connection = await made({ groupRef, consumerRef: 'ada', provider: 'clariCopilot', customAuth })
    expect(connection.authScheme).toBe('apiKey')
    expect(JSON.stringify(connection)).not.toContain('s-1')
    const { context } = await openProviderAccess(app.db, app.app.services, connection.id)
    expect(Object.values((await context.credential.authenticate({})).headers)).toEqual(['k-1', 's-1'])
    const lacking = await generate<ProblemBody>({
      groupRef,
      consumerRef: 'ada',
      provider: 'clariCopilot',
      customAuth: { apiKey: 'k-1', apiSecret: '' },
    })
    expect(lacking.status).toBe(400)
    expect(lacking.body.issues).toMatchObject([{ in: 'body', name: 'customAuth.apiSecret' }])
  })

  test('a token that ends in a leap second is taken', async () => {
    const accessToken = { token: 'at', expiresAt: '2016-12-31T23:59:60Z' }
    await made({ groupRef, consumerRef: 'ada', provider: 'hubspot', oauth2AuthorizationCode: { accessToken } })
  })

  test('scopes alone are no credential, and no error beside a key', async () => {
    const body = { groupRef, consumerRef: 'ada', provider: 'hubspot', oauth2AuthorizationCode: { scopes: ['a'] } }
    expect((await made({ ...body, apiKey: 'k' })).authScheme).toBe('apiKey')
    const refused = await generate<ProblemBody>(body)
    expect(refused.status).toBe(400)
    expect(refused.body.issues[0]?.detail).toContain('oauth2AuthorizationCode')
  })

  test('no usable credential is a 400 that names what the provider takes', async () => {
    const { apiKey: _, ...without } = sample()
    const answer = await generate<ProblemBody>(without)
    expect(answer.status).toBe(400)
    expect(answer.body.issues[0]?.detail).toContain('apiKey')
  })

  test('all missing inputs are named at once, with the missing credential', async () => {
    const answer = await generate<ProblemBody>({ groupRef, consumerRef: 'ada', provider: 'loxo' })
    expect(answer.status).toBe(400)
    expect(answer.body.issues.map(({ name }) => name)).toEqual([
      'providerWorkspaceRef',
      'providerMetadata.agencySlug',
      'body',
    ])
  })

  test.each(['http://169.254.169.254/latest', 'http://10.0.0.1', 'https://192.168.1.1:8443'])(
    'the address %s is refused with what the operator can do',
    async (url) => {
      const wordPress = {
        groupRef,
        consumerRef: 'ada',
        provider: 'wordPressSelfHosted',
        basicAuth: { username: 'u', password: 'p' },
      }
      const answer = await generate<ProblemBody>({ ...wordPress, providerMetadata: { siteUrl: url } })
      expect(answer.status).toBe(400)
      expect(answer.body.issues).toMatchObject([{ in: 'body', name: 'providerMetadata.siteUrl' }])
      expect(answer.body.issues[0]?.remedy).toContain('MORTISE_ALLOW_PRIVATE_NETWORK')
    },
  )

  test.each(['ftp://x', 'not a url', 'http://user:pw@example.com', 'javascript:alert(1)'])(
    '%s is no base URL',
    async (url) => {
      const answer = await generate<ProblemBody>({ ...sample(), providerMetadata: { url } })
      expect(answer.status).toBe(400)
      expect(answer.body.issues).toMatchObject([{ name: 'providerMetadata.url' }])
    },
  )

  test('an unknown provider is a 400 with the name that was meant', async () => {
    const answer = await generate<ProblemBody>({ ...sample(), provider: 'samplecrm' })
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toMatchObject([{ name: 'provider', remedy: 'Did you mean "sampleCrm"?' }])
  })

  test('what is missing is listed at once', async () => {
    const answer = await generate<ProblemBody>({})
    expect(answer.status).toBe(400)
    expect(answer.body.issues.map(({ name }) => name).sort()).toEqual(['consumerRef', 'groupRef', 'provider'])
    expect((await app.call('POST', `${base()}/connections:generate`)).status).toBe(400)
  })

  test('missing refs, inputs and credentials are told in one answer', async () => {
    const answer = await generate<ProblemBody>({ groupRef: '', provider: 'loxo', consumerName: 5 })
    expect(answer.status).toBe(400)
    expect(answer.body.issues.map(({ name }) => name).sort()).toEqual([
      'body',
      'consumerName',
      'consumerRef',
      'groupRef',
      'providerMetadata.agencySlug',
      'providerWorkspaceRef',
    ])
    expect(answer.body.issues.find(({ name }) => name === 'body')?.detail).toContain('apiKey')
    const unknown = await generate<ProblemBody>({ provider: 'nobody-has-this' })
    expect(unknown.body.issues.map(({ name }) => name).sort()).toEqual(['consumerRef', 'groupRef', 'provider'])
  })

  test.each([
    '{"groupRef":"\\u0000","provider":5,"apiKey":null}',
    '{"groupRef":"\\u0000","provider":"loxo","basicAuth":null,"customAuth":7,"oauth2AuthorizationCode":"x","providerMetadata":[1],"providerWorkspaceRef":{}}',
    '{"provider":{},"basicAuth":[]}',
    '[]',
    '5',
  ])('bodies of any shape are a 400: %s', async (text) => {
    expect((await generate(text)).status).toBe(400)
  })

  test('refs of any characters are taken, to the longest', async () => {
    const wide = '🦆'.repeat(200)
    const connection = await made({ ...sample(), groupRef: wide, consumerRef: wide, providerWorkspaceRef: wide })
    expect(connection.group.groupRef).toBe(wide)
    expect((await generate({ ...sample(), groupRef: `${wide}x` })).status).toBe(400)
  })

  test('a prototype in the body is refused', async () => {
    const text = `{"groupRef":"g","consumerRef":"c","provider":"sampleCrm","apiKey":"k","providerMetadata":{"__proto__":{"x":1}}}`
    expect((await generate(text)).status).toBe(400)
  })
})

describe('secrets', () => {
  test('the credential just sent is echoed to a full key, and not to a frontend key', async () => {
    expect((await made()).apiKey).toBe('demo-key')
    const frontend = await generate(sample(), '', { apiKey: app.frontendKey })
    expect(frontend.status).toBe(201)
    expect(frontend.body).not.toHaveProperty('apiKey')
  })

  test('later answers carry no secret unless asked, lists never', async () => {
    const { id } = await made()
    expect((await get(id)).body).not.toHaveProperty('apiKey')
    expect((await get(id, '?includeCreds=true')).body.apiKey).toBe('demo-key')
    const list = await app.call('GET', `${base()}/connections?groupRef=${groupRef}&includeCreds=true`)
    expect(JSON.stringify(list.body)).not.toContain('demo-key')
    expect((await get(id, '?includeCreds=true', { apiKey: app.frontendKey })).status).toBe(403)
    expect((await get(id, '', { apiKey: app.frontendKey })).status).toBe(200)
  })

  test('a credential lies encrypted in its table and is found in no log', async () => {
    const apiKey = 'a-very-secret-key-0123456789'
    const { id } = await made({ ...sample(), apiKey }, '?verify=true')
    const { rows } = await sql<{ row: string }>`
      select k::text || c::text as row from connection_credentials k join connections c on c.id = k.connection_id
      where c.id = ${id}`.execute(app.db.sql)
    expect(rows[0]?.row).toContain('v1.')
    expect(rows[0]?.row).not.toContain(apiKey)
    expect(app.logs.join('\n')).not.toContain(apiKey)
  })
})

describe('listing, getting and deleting', () => {
  test('lists are newest first and filtered', async () => {
    const first = await made()
    const second = await made({ ...sample(), consumerRef: 'bob' })
    const ids = async (query: string) =>
      (await app.call<Body[]>('GET', `${base()}/connections?groupRef=${groupRef}${query}`)).body.map(({ id }) => id)
    expect(await ids('')).toEqual([second.id, first.id])
    expect(await ids('&consumerRef=ada')).toEqual([first.id])
    expect(await ids('&provider=sampleCrm&consumerRef=bob')).toEqual([second.id])
    expect(await ids('&provider=hubspot')).toEqual([])
  })

  test('unknown, malformed and other projects’ ids look the same', async () => {
    const { id } = await made()
    const other = { apiKey: app.otherProject.apiKey }
    const answers = await Promise.all([
      get('0190a0a0-0000-7000-8000-000000000000'),
      get("x'; drop table connections"),
      app.call('GET', `/projects/other/connections/${id}`, undefined, other),
      app.call('DELETE', `/projects/other/connections/${id}`, undefined, other),
      app.call('DELETE', `${base()}/connections/nope`),
    ])
    for (const { status, body } of answers) {
      expect(status).toBe(404)
      expect(body).toMatchObject({ context: { code: 'connection-not-found' } })
    }
    expect((await get(id)).status).toBe(200)
  })

  test('a connection is deleted with its credential', async () => {
    const { id } = await made()
    const told: string[][] = []
    const { hooks } = app.app.services
    const { connectionsDeleting } = hooks
    hooks.connectionsDeleting = async (tx, change) => {
      // Its row is still there to be told of.
      expect(await lockConnection(tx, id)).toBeDefined()
      told.push(change.connectionIds)
      await connectionsDeleting(tx, change)
    }
    onTestFinished(() => void Object.assign(hooks, { connectionsDeleting }))
    expect((await app.call('DELETE', `${base()}/connections/${id}`)).status).toBe(204)
    expect((await get(id)).status).toBe(404)
    const { rows } = await sql`select from connection_credentials where connection_id = ${id}`.execute(app.db.sql)
    expect(rows).toHaveLength(0)
    expect(told).toEqual([[id]])
  })

  test('a connection that is installed on stays; of a deletion and an installation at once, one is refused', async () => {
    const integration = await app.call<{ id: string }[]>('PUT', `${base()}/integrations:batch`, {
      sourceYaml: JSON.stringify(manifest),
    })
    const installations = `${base()}/integrations/${integration.body[0]?.id}/installations`
    const config = { content: { provider: 'sampleCrm', read: { objects: { contacts: { objectName: 'contacts' } } } } }
    const install = (connectionId: string) =>
      app.call('POST', `${installations}?skipSampling=true`, { groupRef, connectionId, config })
    const remove = (id: string) => app.call('DELETE', `${base()}/connections/${id}`)
    const { id } = await made()
    expect((await install(id)).status).toBe(201)
    expect(await remove(id)).toMatchObject({ status: 400, body: { context: { code: 'connection-in-use' } } })
    expect((await get(id, '?includeCreds=true')).body.apiKey).toBe('demo-key')

    for (let round = 0; round < 6; round++) {
      const { id } = await made({ ...sample(), consumerRef: `racer-${round}` })
      const [installed, removed] = await Promise.all([install(id), remove(id)])
      expect([
        [201, 400],
        [400, 204],
      ]).toContainEqual([installed.status, removed.status])
      expect((await get(id)).status).toBe(removed.status === 204 ? 404 : 200)
    }
  })
})

describe('using a connection', () => {
  test('a connector reads as the connection', async () => {
    const { id } = await made()
    const { connector, connection } = await openConnector(app.db, app.app.services, id)
    const page = await connector.readPage({ object: 'contacts', fields: ['email'], pageSize: 2 })
    expect(page.records).toHaveLength(2)
    expect(connection).toMatchObject({ id, provider: 'sampleCrm', groupRef })
  })

  test('a report moves the status, tells the hook once, and costs no statement when nothing changes', async () => {
    const { id } = await made(sample(), '?verify=true')
    const changes: string[] = []
    const services = {
      hooks: {
        ...app.app.services.hooks,
        connectionStatusChanged: async (_: unknown, { from, to }: { from: string; to: string }) =>
          void changes.push(`${from} to ${to}`),
      },
    }
    const { connection } = await openProviderAccess(app.db, app.app.services, id)
    const closed = {
      ...app.db,
      get sql(): never {
        throw new Error('a statement was made')
      },
    }
    await reportUse(closed, services, connection, 'succeeded')
    await reportUse(app.db, services, connection, 'credentials')
    await reportUse(closed, services, connection, 'credentials')
    await reportUse(app.db, services, id, 'credentials')
    expect(changes).toEqual(['working to bad_credentials'])
    await reportUse(app.db, services, id, 'succeeded')
    expect((await get(id)).body.status).toBe('working')
  })

  test('a report about a credential that was replaced meanwhile says nothing', async () => {
    const { id } = await made()
    const { connection } = await openProviderAccess(app.db, app.app.services, id)
    await made()
    await reportUse(app.db, app.app.services, connection, 'credentials')
    expect((await get(id)).body.status).not.toBe('bad_credentials')
  })

  test('a report about a deleted connection is dropped', async () => {
    const { id } = await made()
    const { connection } = await openProviderAccess(app.db, app.app.services, id)
    await app.call('DELETE', `${base()}/connections/${id}`)
    await reportUse(app.db, app.app.services, connection, 'credentials')
    await reportUse(app.db, app.app.services, id, 'credentials')
    expect(await app.db.transaction((tx) => lockConnection(tx, id))).toBeUndefined()
  })

  test('while the provider wants no requests, none is sent, by whoever opens the connection', async () => {
    const { id } = await made(sample(), '?verify=true')
    const until = new Date(app.clock.now().getTime() + 60_000)
    const { connection } = await openProviderAccess(app.db, app.app.services, id)
    await connection.waitFor(60_000)
    await setRateLimitedUntil(app.db, id, new Date(until.getTime() - 30_000))
    expect((await findRateLimitedUntil(app.db, id))?.getTime()).toBeGreaterThanOrEqual(until.getTime())
    const { connector } = await openConnector(app.db, app.app.services, id)
    const { requests } = crm.counters()
    const error = await connector.readPage({ object: 'contacts', fields: 'all' }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({ class: 'rate_limited' })
    expect((error as ProviderError).retryAfterMs).toBeGreaterThan(50_000)
    expect(crm.counters().requests).toBe(requests)
  })
})
