import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiEndpoints, commonEndpoints } from '../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { type Endpoint, permissions } from '../packages/server/src/kernel/http/index.ts'
import { loadCases } from '../packages/server/src/testkit/load-cases.ts'
import { createTenant, pathOf, type Tenant } from '../packages/server/src/testkit/tenant.ts'
import { startTestApp, startTestNode, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { expectRefusal } from './problem-answer.testkit.ts'

/**
 * A connection whose address somebody typed wrong is not an outage: no endpoint answers 5xx for it. Where the address
 * is right and nothing answers there, the answer is the one declared problem of a provider that is away.
 */

const cases = await loadCases()
const endpoints = ([...commonEndpoints, ...apiEndpoints] as Endpoint[])
  .map(({ declaration }) => declaration)
  // What deletes takes the tenant away from those that follow.
  .filter(({ method }) => method !== 'DELETE')
const away = ['provider-unavailable', 'provider-unreachable']

describe.each([
  ['leads where requests may not go', false],
  ['leads where nothing answers', true],
])('where the address of a connection %s', (_, isAway) => {
  let app: TestApp
  let node: TestApp | undefined
  let crm: SampleCrm
  let tenant: Tenant
  let url = ''
  beforeAll(async () => {
    const env = { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' }
    app = await startTestApp({ env })
    crm = await startSampleCrm({ contacts: 3, rateLimit: 0 })
    tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
    // The node that is asked may not reach what was right when it was given.
    node = isAway ? undefined : await startTestNode(app, { ...env, MORTISE_ALLOW_PRIVATE_NETWORK: '10.99.0.0/16' })
    url = (node ?? app).url
    if (isAway) await crm.close()
  })
  afterAll(async () => {
    await node?.stop()
    await app?.stop()
    if (!isAway) await crm?.close()
  })

  it.each(endpoints.map((declaration) => [declaration.id, declaration] as const))('%s', async (id, declaration) => {
    if (declaration.produces === 'text/event-stream') return
    const { query, body } = cases.request(id, tenant.ids, crm.url)
    const answer = await fetch(`${url}${pathOf(declaration.path, { ...tenant.ids }, query)}`, {
      method: declaration.method,
      redirect: 'manual',
      headers: {
        ...(permissions[declaration.access].fullKey === 'allow' ? { 'x-api-key': app.apiKey } : tenant.owner),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.status >= 400)
      expectRefusal({ status: answer.status, headers: Object.fromEntries(answer.headers), text }, { declaration })
    if (answer.status >= 500) {
      expect(isAway, `${answer.status} ${text}`).toBe(true)
      expect(answer.status).toBe(502)
      expect(away).toContain(JSON.parse(text).context.code)
    }
  })
})
