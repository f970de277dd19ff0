import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiEndpoints, commonEndpoints } from '../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type Endpoint, permissions } from '../packages/server/src/kernel/http/index.ts'
import { loadCases } from '../packages/server/src/testkit/load-cases.ts'
import { createTenant, pathOf, type Tenant } from '../packages/server/src/testkit/tenant.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { textOf } from './problem-answer.testkit.ts'
import { openStoredRows, type StoredRows } from './stored-rows.testkit.ts'

/** GET and HEAD are safe (RFC 9110, 9.2.1): whatever is on the way may send them, twice or ahead of anybody. */

const cases = await loadCases()
const reads = ([...commonEndpoints, ...apiEndpoints] as Endpoint[])
  .map(({ declaration }) => declaration)
  .filter(({ method }) => method === 'GET')

let app: TestApp
let crm: SampleCrm
let tenant: Tenant
let rows: StoredRows

beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' } })
  crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
  tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
  rows = await openStoredRows(app.testDatabase.url)
})
afterAll(async () => {
  await rows?.close()
  await app?.stop()
  await crm?.close()
})

async function ask(method: 'GET' | 'HEAD', { path, access }: Endpoint['declaration'], query?: Record<string, string>) {
  const answer = await fetch(`${app.url}${pathOf(path, { ...tenant.ids }, query)}`, {
    method,
    redirect: 'manual',
    headers: permissions[access].fullKey === 'allow' ? { 'x-api-key': app.apiKey } : tenant.owner,
  })
  await textOf(answer)
  return answer.status
}

/** Every query parameter that says yes or no, said yes. */
function switchedOn({ id, query }: Endpoint['declaration']): Record<string, string> {
  const properties = (query as { properties?: Record<string, { type?: string }> } | undefined)?.properties ?? {}
  const switches = Object.entries(properties).filter(([, { type }]) => type === 'boolean')
  return {
    ...cases.request(id, tenant.ids, crm.url).query,
    ...Object.fromEntries(switches.map(([name]) => [name, 'true'])),
  }
}

describe('nothing is stored, changed or deleted by', () => {
  it.each(
    reads.filter(({ id }) => !cases.of(id).writesOnGet).map((declaration) => [declaration.id, declaration] as const),
  )('%s, by GET or HEAD, twice', async (id, declaration) => {
    // What the first request of its kind looks up may be remembered in the database; what a use says of a connection
    // too.
    await ask('GET', declaration, cases.request(id, tenant.ids, crm.url).query)
    const before = await rows.fingerprint()
    for (const method of ['GET', 'HEAD'] as const) {
      const query = switchedOn(declaration)
      // Tests of the endpoint say when these change something.
      if (method === 'GET') for (const name of cases.of(id).unsafeQuery ?? []) delete query[name]
      for (let time = 0; time < 2; time++) expect(await ask(method, declaration, query)).toBeLessThan(500)
      expect(await rows.fingerprint(), `${method} changed a row`).toBe(before)
    }
  })

  it('only these GETs may write', () => {
    const excepted = reads.filter(({ id }) => cases.of(id).writesOnGet).map(({ id }) => id)
    expect(excepted).toEqual(['generateUploadUrl'])
  })
})
