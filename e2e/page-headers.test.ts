import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiEndpoints, commonEndpoints } from '../packages/server/src/features/index.ts'
import { sampleCrmProviders } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import type { Endpoint } from '../packages/server/src/kernel/http/index.ts'
import { loadCases } from '../packages/server/src/testkit/load-cases.ts'
import { createTenant, pathOf, type Tenant } from '../packages/server/src/testkit/tenant.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'

/**
 * Pages of ours run no script of others, load nothing, cannot be framed, and tell no other origin where their reader
 * was.
 */

const cases = await loadCases()
const pages = ([...commonEndpoints, ...apiEndpoints] as Endpoint[])
  .map(({ declaration }) => declaration)
  .filter(({ produces }) => produces?.startsWith('text/html'))
let app: TestApp
let crm: SampleCrm
let tenant: Tenant

beforeAll(async () => {
  const env = { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' }
  app = await startTestApp({ env: { ...env, MORTISE_PUBLIC_URL: 'https://mortise.example.com' } })
  crm = await startSampleCrm({ contacts: 1, rateLimit: 0 })
  tenant = await createTenant(app, crm, { apiKey: app.apiKey, project: 'default', name: 'crm' })
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
})

describe('the page of', () => {
  it.each(pages.map((declaration) => [declaration.id, declaration] as const))('%s', async (id, declaration) => {
    const { method, path } = declaration
    const { query } = cases.request(id, tenant.ids, crm.url)
    const isForm = method === 'POST'
    const answer = await fetch(`${app.url}${pathOf(path, { ...tenant.ids }, query)}`, {
      method,
      redirect: 'manual',
      ...(isForm && { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    })
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
    if (!answer.headers.get('content-type')?.startsWith('text/html')) {
      expect(answer.status === 303 || answer.headers.get('content-type') === 'application/problem+json').toBe(true)
      return
    }
    const policy = answer.headers.get('content-security-policy') ?? ''
    for (const directive of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", 'form-action '])
      expect(policy).toContain(directive)
    expect(policy).not.toMatch(/unsafe|\*/)
    expect(answer.headers.get('referrer-policy')).toMatch(/^(same-origin|no-referrer)$/)
  })
})
