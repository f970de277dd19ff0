import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiEndpoints } from '../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type Endpoint, permissions, sessionPermissions } from '../packages/server/src/kernel/http/index.ts'
import { loadCases } from '../packages/server/src/testkit/load-cases.ts'
import { contactsConfig, createTenant, manifest, pathOf, type Tenant } from '../packages/server/src/testkit/tenant.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { createSigner } from '../packages/server/src/testkit/test-consumer.ts'
import { openStoredRows, type StoredRows } from './stored-rows.testkit.ts'

/**
 * The token of a connect session does what the purpose of the session says, for its group, its providers and its
 * integrations. What it must not do changes no row.
 */

let app: TestApp
let crm: SampleCrm
let tenant: Tenant
let rows: StoredRows

beforeAll(async () => {
  const env = { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api', MORTISE_RATE_LIMIT: '0' }
  app = await startTestApp({ env })
  crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
  const sourceYaml = JSON.stringify(manifest)
  const deployed = await app.call('PUT', '/projects/default/integrations:batch', { sourceYaml })
  expect(deployed.status, JSON.stringify(deployed.body)).toBe(200)
  rows = await openStoredRows(app.testDatabase.url)
})
afterAll(async () => {
  await rows?.close()
  await app?.stop()
  await crm?.close()
})

interface Session {
  id: string
  token: string
  url: string
  expireTime: string
}
interface Problem {
  detail: string
  issues?: { name: string }[]
}
const sessions = '/projects/default/connect-sessions'
const connections = '/projects/default/connections'
const refs = () => ({ groupRef: tenant.ids.groupRef, consumerRef: tenant.ids.consumerRef })
const ask = (body: object) => app.call<Session & Problem>('POST', sessions, { ...refs(), ...body })
async function session(body: object): Promise<Session> {
  const answer = await ask(body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const as = <T = Problem>({ token }: { token: string }, method: string, path: string, body?: unknown) =>
  app.call<T>(method, path, body, { apiKey: null, headers: { authorization: `Bearer ${token}` } })
const bodies = {
  connect: { provider: 'sampleCrm' },
  install: { purpose: 'install', integration: 'crm' },
  manage: { purpose: 'manage' },
} as const
const cases = await loadCases()
const closed = (apiEndpoints as Endpoint[]).filter(({ declaration }) => declaration.access !== 'public')
const send = (token: { token: string }, { declaration: { id, method, path } }: Endpoint) => {
  const { query, body } = cases.request(id, tenant.ids, crm.url)
  return as(token, method, `/${pathOf(path, method === 'DELETE' ? tenant.missing : tenant.ids, query)}`, body)
}

describe.each(['connect', 'install', 'manage'] as const)('a token of the purpose %s', (purpose) => {
  it('is rejected, without a change, by every endpoint that its purpose does not include', async () => {
    const token = await session(bodies[purpose])
    const others = closed.filter(
      ({ declaration: { session: row } }) => row === undefined || sessionPermissions[row][purpose] === 'forbidden',
    )
    expect(others.length).toBeGreaterThan(50)
    const before = await rows.fingerprint()
    for (const endpoint of others) {
      const answer = await send(token, endpoint)
      expect(answer.status, `${endpoint.declaration.id}: ${JSON.stringify(answer.body)}`).toBe(
        permissions[endpoint.declaration.access].consumer === 'hidden' ? 404 : 403,
      )
    }
    expect(await rows.fingerprint()).toBe(before)
  })

  it('creates no session, shows no credential, and changes no address that a credential is sent to', async () => {
    const token = await session(bodies[purpose])
    const path = `${connections}/${tenant.ids.connectionId}`
    const providerMetadata = { url: { value: 'https://evil.example', source: 'input' } }
    const generate = { ...refs(), provider: 'sampleCrm', apiKey: 'k', providerMetadata }
    const before = await rows.fingerprint()
    for (const [method, url, body] of [
      ['POST', sessions, { ...refs(), provider: 'sampleCrm' }],
      ['GET', `${path}?includeCreds=true`, undefined],
      ['GET', `${path}?refresh=force`, undefined],
      ['PATCH', path, { updateMask: ['providerMetadata'], connection: { providerMetadata } }],
      ['POST', `${connections}:generate`, generate],
      ['PATCH', `${path}:oauth-update`, undefined],
      ['POST', '/oauth-connect', { ...refs(), projectIdOrName: 'default', provider: 'sampleCrm' }],
    ] as const) {
      const answer = await as(token, method, url, body)
      expect(answer.status, `${method} ${url}`).toBe(403)
    }
    expect(await rows.fingerprint()).toBe(before)
    const list = await as<unknown[]>(token, 'GET', connections)
    expect(JSON.stringify(list.body)).not.toContain(crm.apiKey)
  })

  it('reaches the proxy with nothing', async () => {
    const { token } = await session(bodies[purpose])
    const answer = await fetch(`${app.url}/proxy/contacts`, {
      headers: { authorization: `Bearer ${token}`, 'x-mortise-project-id': 'default' },
    })
    await answer.arrayBuffer()
    expect(answer.status).toBe(403)
  })

  it('is for its group: another one is refused where it is named, and not there where it is not', async () => {
    const token = await session({ ...bodies[purpose], groupRef: tenant.spare.groupRef })
    const list = await as<{ id: string }[]>(token, 'GET', connections)
    expect(list.body.map(({ id }) => id)).toEqual([tenant.spare.connectionId])
    expect((await as(token, 'GET', `${connections}?groupRef=${tenant.ids.groupRef}`)).status).toBe(403)
    if (purpose === 'connect') return
    const { integrationId, installationId, connectionId } = tenant.ids
    const installations = `/projects/default/integrations/${integrationId}/installations`
    const change = { updateMask: ['config.content.read.objects'], installation: { config: contactsConfig } }
    expect((await as(token, 'GET', installations)).body).toEqual([])
    expect((await as(token, 'GET', `${installations}/${installationId}`)).status).toBe(404)
    expect((await as(token, 'PATCH', `${installations}/${installationId}`, change)).status).toBe(404)
    const install = { groupRef: tenant.spare.groupRef, connectionId, config: contactsConfig }
    expect((await as(token, 'POST', installations, install)).status).toBe(400)
    if (purpose === 'install') return
    const reads = `//read/v1${installations}/${installationId}`
    for (const verb of ['pause', 'unpause']) expect((await as(token, 'POST', `${reads}:${verb}`)).status).toBe(404)
    expect((await as(token, 'DELETE', `${installations}/${installationId}`)).status).toBe(404)
    expect((await as(token, 'DELETE', `${connections}/${connectionId}`)).status).toBe(404)
  })
})

describe('the limits of a session', () => {
  it('hide connections of other providers and other integrations', async () => {
    const other = await session({ purpose: 'install', integrations: ['other'] })
    const { integrationId, installationId, revisionId, connectionId } = tenant.ids
    const installations = `/projects/default/integrations/${integrationId}/installations`
    for (const [method, path, body] of [
      ['GET', `/projects/default/integrations/${integrationId}`, undefined],
      ['GET', '/projects/default/integrations/crm', undefined],
      ['GET', installations, undefined],
      ['GET', `${installations}/${installationId}`, undefined],
      ['POST', installations, { groupRef: tenant.ids.groupRef, config: contactsConfig }],
      [
        'GET',
        `/projects/default/integrations/${integrationId}/revisions/${revisionId}:hydrate?connectionId=${connectionId}`,
        undefined,
      ],
    ] as const)
      expect((await as(other, method, path, body)).status, `${method} ${path}`).toBe(404)
    expect((await as(other, 'GET', '/projects/default/installations')).body).toEqual([])
    const elsewhere = await session({ purpose: 'manage', provider: 'github' })
    expect((await as(elsewhere, 'GET', connections)).body).toEqual([])
    expect((await as(elsewhere, 'DELETE', `${connections}/${tenant.spare.connectionId}`)).status).toBe(404)
  })

  it('show the status of an installation to the sessions that may install it', async () => {
    const { installationId } = tenant.ids
    const path = `/projects/default/integrations/crm/installations/${installationId}/status`
    const own = await as(await session(bodies.install), 'GET', path)
    expect([own.status, own.body]).toMatchObject([
      200,
      { healthStatus: 'healthy', objects: [{ objectName: 'contacts', displayName: 'Contacts', state: 'scheduled' }] },
    ])
    expect((await as(await session({ purpose: 'install', integration: 'other' }), 'GET', path)).status).toBe(404)
    const other = await session({ ...bodies.install, groupRef: tenant.spare.groupRef })
    expect((await as(other, 'GET', path)).status).toBe(404)
  })

  it('are checked when the session is created, all at once', async () => {
    const nothing = await ask({ integration: 'no-such', provider: 'no-such', redirectUrl: 'ftp://x' })
    expect(nothing.status).toBe(400)
    expect(nothing.body.issues?.map(({ name }) => name)).toEqual(['provider', 'integration', 'redirectUrl'])
    const names = async (body: object) => (await ask(body)).body.issues?.map(({ name }) => name)
    expect(await names({})).toEqual(['provider'])
    expect(await names({ purpose: 'install', provider: 'sampleCrm' })).toEqual(['integration'])
    expect(await names({ integration: 'crm', providers: ['sampleCrm', 'github'] })).toEqual(['providers[1]'])
  })

  it('of a consumer token that asks are those of the purpose connect', async () => {
    const headers = await (await createSigner(app)).headers(tenant.ids.groupRef, tenant.ids.consumerRef)
    const by = (body: object) => app.call<Session>('POST', sessions, { ...refs(), ...body }, { apiKey: null, headers })
    expect((await by(bodies.connect)).status).toBe(201)
    expect((await by(bodies.install)).status).toBe(403)
    expect((await by(bodies.manage)).status).toBe(403)
  })
})

describe('a token', () => {
  it('shows its own session only', async () => {
    const [one, another] = [await session(bodies.manage), await session(bodies.manage)]
    expect((await as(one, 'GET', `${sessions}/${one.id}`)).body).toMatchObject({ id: one.id, purpose: 'manage' })
    expect((await as(one, 'GET', `${sessions}/${another.id}`)).status).toBe(404)
  })

  it('is the token of the link, with its prefix', async () => {
    const { token, url } = await session(bodies.connect)
    expect(token).toMatch(/^connect_[A-Za-z0-9_-]{43}$/)
    expect(url.endsWith(`/connect/${token.slice('connect_'.length)}`)).toBe(true)
  })

  it.each(['connect_', 'connect_x', `connect_${'A'.repeat(43)}`, `connect_${'A'.repeat(44)}`, `${'A'.repeat(43)}`])(
    'that was never issued is none: %s',
    async (token) => {
      expect((await as({ token }, 'GET', connections)).status).toBe(401)
    },
  )

  it('of another project finds its own project only', async () => {
    const token = await session(bodies.manage)
    expect((await as(token, 'GET', '/projects/other/connections')).status).toBe(404)
    expect((await as(token, 'GET', `/projects/${app.otherProject.id}/connections`)).status).toBe(404)
  })

  it('ends with its session', async () => {
    const token = await session(bodies.manage)
    expect((await as(token, 'GET', connections)).status).toBe(200)
    app.clock.set(new Date(new Date(token.expireTime).getTime() - 1_000))
    expect((await as(token, 'GET', connections)).status).toBe(200)
    app.clock.advance(1_000)
    expect((await as(token, 'GET', connections)).status).toBe(401)
  })
})
