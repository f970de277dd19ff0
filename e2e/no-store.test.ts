import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleCrmProviders } from '../packages/server/src/features/sync/reading/reading.testkit.ts'
import { startTestApp, type TestApp } from '../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../packages/server/src/testkit/test-builder.ts'

/**
 * Answers that show a credential are kept by nobody on their way; the same answers without it have a tag like any
 * other.
 */

let app: TestApp
let crm: SampleCrm
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' } })
  crm = await startSampleCrm({ contacts: 1, rateLimit: 0 })
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
})

const project = '/projects/default'
async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await app.call<{ id: string; key: string }>(method, path, body, { headers })
  expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status)
  const isKept = answer.headers.get('cache-control') !== 'no-store'
  expect(answer.headers.has('etag')).toBe(isKept && method === 'GET')
  return { ...answer.body, isKept }
}

test('API keys', async () => {
  const made = await ask('POST', `${project}/api-keys`, { label: 'one' }, { 'idempotency-key': 'api-key' })
  expect(made.isKept).toBe(false)
  const again = await ask('POST', `${project}/api-keys`, { label: 'one' }, { 'idempotency-key': 'api-key' })
  expect(again).toEqual(made)
  expect((await ask('GET', `${project}/api-keys/${made.id}`)).isKept).toBe(false)
  expect((await ask('GET', project)).isKept).toBe(true)
})

test('destinations', async () => {
  const { id, isKept } = await ask('POST', `${project}/destinations`, {
    name: 'hook',
    type: 'webhook',
    metadata: { url: `${crm.url}/hooks` },
  })
  expect(isKept).toBe(true)
  expect((await ask('GET', `${project}/destinations/${id}?includeSecrets=true`)).isKept).toBe(false)
  expect((await ask('GET', `${project}/destinations/${id}?rotate=true`)).isKept).toBe(true)
  expect((await ask('GET', `${project}/destinations`)).isKept).toBe(true)
})

test('connections', async () => {
  const generate = {
    groupRef: 'group',
    consumerRef: 'person',
    provider: 'sampleCrm',
    apiKey: crm.apiKey,
    providerMetadata: { url: crm.url },
  }
  const { id, isKept } = await ask('POST', `${project}/connections:generate`, generate)
  expect(isKept).toBe(false)
  const update = { updateMask: ['apiKey'], connection: { apiKey: crm.apiKey } }
  expect((await ask('PATCH', `${project}/connections/${id}`, update)).isKept).toBe(true)
  expect((await ask('GET', `${project}/connections/${id}?includeCreds=true`)).isKept).toBe(false)
  expect((await ask('GET', `${project}/connections/${id}`)).isKept).toBe(true)
  expect((await ask('GET', `${project}/connections`)).isKept).toBe(true)
})

test('sessions and addresses to upload to', async () => {
  const [email, password] = ['one@example.com', 'twelve characters and more']
  await signInBuilder(app, { email, password, role: 'developer' })
  expect((await ask('POST', '/sessions', { email, password })).isKept).toBe(false)
  expect((await ask('GET', '/generate-upload-url')).isKept).toBe(false)
})
