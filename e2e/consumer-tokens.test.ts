import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiEndpoints } from '../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type Access, type Endpoint, isForFrontends, permissions } from '../packages/server/src/kernel/http/index.ts'
import { loadCases } from '../packages/server/src/testkit/load-cases.ts'
import { createTenant, type Ids, pathOf, type Tenant } from '../packages/server/src/testkit/tenant.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { createSigner, type TestSigner } from '../packages/server/src/testkit/test-consumer.ts'
import { expectProblem } from './problem-answer.testkit.ts'
import { openStoredRows, type StoredRows } from './stored-rows.testkit.ts'

/**
 * A consumer token reaches what belongs to its group, and nothing else: what belongs to others looks as if it were not
 * there, in a path, a query, a body and a list. It speaks for its consumer alone. New endpoints of the row `frontend`
 * are tried by themselves.
 */

let app: TestApp
let crm: SampleCrm
let tenant: Tenant
let signer: TestSigner
let rows: StoredRows

beforeAll(async () => {
  const env = { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api', MORTISE_RATE_LIMIT: '0' }
  app = await startTestApp({ env })
  crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
  signer = await createSigner(app)
  rows = await openStoredRows(app.testDatabase.url)
})
afterAll(async () => {
  await rows?.close()
  await app?.stop()
  await crm?.close()
})

const cases = await loadCases()
const open = (apiEndpoints as Endpoint[]).filter(
  ({ declaration }) => permissions[declaration.access].consumer === 'allow',
)
const forConsumers = open.filter(({ declaration }) => declaration.access !== 'public')

type Refs = Pick<Ids, 'groupRef' | 'consumerRef'>
const call = async <T = unknown>(refs: Refs, method: string, path: string, body?: unknown) =>
  app.call<T>(method, path, body, { apiKey: null, headers: await signer.headers(refs.groupRef, refs.consumerRef) })
const request = (refs: Refs, { declaration: { id, method, path } }: Endpoint, ids: Ids) => {
  const { query, body } = cases.request(id, ids, crm.url)
  // Below the origin: the paths of endpoints hold their prefix already.
  return call(refs, method, `/${pathOf(path, ids, query)}`, body)
}
/** An answer without what differs in each, and with the id that was asked for in one spelling. */
const withoutChance = (answer: { status: number; body: unknown }, id: string) => {
  const text = JSON.stringify(answer.body).replaceAll(id, '(the id)')
  const { requestId, instance, time, ...rest } = JSON.parse(text) as Record<string, unknown>
  return { status: answer.status, ...rest }
}

describe('another group’s ids', () => {
  const byId = ['installationId', 'connectionId'] as const
  const reads = (endpoint: Endpoint, key: keyof Ids) => {
    const { id, path } = endpoint.declaration
    const of = (value: string) => {
      const ids = { ...tenant.ids, [key]: value }
      const { query, body } = cases.request(id, ids, crm.url)
      return JSON.stringify([pathOf(path, ids, query), body]).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '')
    }
    return of('a') !== of('b')
  }

  it.each(forConsumers.map((endpoint) => [endpoint.declaration.id, endpoint] as const))(
    'look like missing ones to %s',
    async (_, endpoint) => {
      // The other group has its own connection; what was installed belongs to the first one.
      const { groupRef, consumerRef } = tenant.spare
      const own = { ...tenant.spare, consumerRef }
      for (const key of byId.filter((key) => reads(endpoint, key))) {
        const before = await rows.fingerprint()
        const theirs = await request({ groupRef, consumerRef }, endpoint, { ...own, [key]: tenant.ids[key] })
        const nothing = await request({ groupRef, consumerRef }, endpoint, { ...own, [key]: tenant.missing[key] })
        expect([400, 403, 404], JSON.stringify(theirs.body)).toContain(theirs.status)
        expect(withoutChance(theirs, tenant.ids[key]), key).toEqual(withoutChance(nothing, tenant.missing[key]))
        expect(await rows.fingerprint(), `${key} of another group changed a row`).toBe(before)
      }
    },
  )

  it.each(forConsumers.map((endpoint) => [endpoint.declaration.id, endpoint] as const))(
    'as groupRef and consumerRef are refused by %s',
    async (id, endpoint) => {
      const { query, body } = cases.request(id, tenant.ids, crm.url)
      const named = { ...query, ...(body as object | undefined) } as Partial<Refs>
      const mine = { ...tenant.ids, consumerRef: named.consumerRef ?? tenant.ids.consumerRef }
      for (const key of ['groupRef', 'consumerRef'] as const) {
        if (named[key] === undefined && !endpoint.declaration.path.includes(`{${key}}`)) continue
        const before = await rows.fingerprint()
        const answer = await request({ ...mine, [key]: 'somebody-else' }, endpoint, tenant.ids)
        expect(answer.status, key).toBe(403)
        expectProblem({
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
          text: JSON.stringify(answer.body),
        })
        expect(await rows.fingerprint(), `${key} of another changed a row`).toBe(before)
      }
    },
  )
})

describe('a list', () => {
  it.each([
    ['connections', ['crm-group', 'crm-person'], ['crm-spare', 'crm-person']],
    ['installations', ['crm-group', 'crm-person'], ['crm-spare', 'crm-person']],
    ['integrations/crm/installations', ['crm-group', 'crm-person'], ['crm-spare', 'crm-person']],
  ] as const)('of %s holds what is the group’s own, filtered or not', async (path, own, other) => {
    const list = async (refs: readonly [string, string], query = '') => {
      const [groupRef, consumerRef] = refs
      const answer = await call<{ id: string; group: { groupRef: string } }[]>(
        { groupRef, consumerRef },
        'GET',
        `/projects/default/${path}${query}`,
      )
      expect(answer.status).toBe(200)
      return answer.body
    }
    const mine = await list(own)
    expect(mine.map(({ group }) => group.groupRef)).toEqual(['crm-group'])
    expect(await list(own, '?groupRef=crm-group')).toEqual(mine)
    const theirs = await list(other)
    expect(theirs.map(({ group }) => group.groupRef)).toEqual(path === 'connections' ? ['crm-spare'] : [])
    expect(await list(['crm-group', 'a-colleague'])).toEqual(mine)
    expect(await list(['nobodys-group', 'crm-person'])).toEqual([])
  })
})

describe('a consumer', () => {
  const { stringify } = JSON
  it('sees neither the credential of a connection nor a key', async () => {
    const { groupRef, consumerRef, connectionId } = tenant.ids
    const path = `/projects/default/connections/${connectionId}`
    for (const query of ['?includeCreds=true', '?includeRefreshToken=true'])
      expect((await call(tenant.ids, 'GET', path + query)).status).toBe(403)
    expect(stringify((await call({ groupRef, consumerRef }, 'GET', path)).body)).not.toContain(crm.apiKey)
    const made = await call(tenant.ids, 'POST', '/projects/default/connections:generate', {
      groupRef,
      consumerRef,
      provider: 'sampleCrm',
      apiKey: crm.apiKey,
      providerMetadata: { url: crm.url },
    })
    expect(made.status).toBe(201)
    expect(stringify(made.body)).not.toContain(crm.apiKey)
  })

  it('sees and changes the connection of another person of the group, but speaks for itself alone', async () => {
    const { groupRef, consumerRef, connectionId, integrationId, revisionId } = tenant.ids
    const colleague = { groupRef, consumerRef: 'a-colleague' }
    const path = `/projects/default/connections/${connectionId}`
    const providerMetadata = { url: { value: crm.url, source: 'input' } }
    const change = { updateMask: ['providerMetadata'], connection: { providerMetadata } }
    const hydrate = `/projects/default/integrations/${integrationId}/revisions/${revisionId}:hydrate`
    const metadata = '/projects/default/providers/sampleCrm/objects/contacts/metadata'
    for (const [method, url, body] of [
      ['GET', path],
      ['PATCH', path, change],
      ['GET', `${hydrate}?connectionId=${connectionId}`],
      ['GET', `${metadata}?groupRef=${groupRef}`],
    ] as const)
      expect((await call(colleague, method, url, body)).status, `${method} ${url}`).toBe(200)
    const connect = { groupRef, consumerRef, provider: 'sampleCrm', apiKey: crm.apiKey, providerMetadata }
    expect((await call(colleague, 'POST', '/projects/default/connections:generate', connect)).status).toBe(403)
    const list = `/projects/default/connections?consumerRef=${consumerRef}`
    expect((await call(colleague, 'GET', list)).status).toBe(403)
    const used = await call<{ context: { code: string } }>(colleague, 'DELETE', path)
    expect(used).toMatchObject({ status: 400, body: { context: { code: 'connection-in-use' } } })
  })

  it('cannot install on a connection of another group', async () => {
    const { groupRef, consumerRef, connectionId } = tenant.ids
    const config = { content: { provider: 'sampleCrm', read: { objects: {} } } }
    const body = { groupRef: tenant.spare.groupRef, connectionId, config }
    const path = '/projects/default/integrations/crm/installations'
    const answer = await call<{ detail: string }>({ groupRef: tenant.spare.groupRef, consumerRef }, 'POST', path, body)
    expect(answer.status).toBe(400)
    expect(stringify(answer.body)).not.toContain(`"${groupRef}"`)
    expect((await call({ groupRef, consumerRef }, 'GET', path)).body).toMatchObject([{ group: { groupRef } }])
  })

  it('may call what a front end or an agent needs, and nothing else', () => {
    const isFor = (access: Access) => access === 'public' || access === 'agent' || isForFrontends(access)
    expect(open.every(({ declaration: { access } }) => isFor(access))).toBe(true)
  })
})
