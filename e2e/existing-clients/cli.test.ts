import { createHash } from 'node:crypto'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sampleCrmProviders } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { craftZip } from '../../packages/server/src/testkit/craft-zip.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { signInBuilder } from '../../packages/server/src/testkit/test-builder.ts'
import { expectMembers, expectTimes } from './answers.testkit.ts'

/**
 * What the existing command line sends for each of its commands, and the facts of the answers that it relies on
 * (contract 8.3 and 8.4), with a key and with a session. How it signs in (8.5) stands in
 * features/identity/sign-in/command-lines.test.ts.
 */

let app: TestApp
let crm: SampleCrm
let session: { authorization: string }
beforeAll(async () => {
  const env = { MORTISE_PROVIDERS_DIR: sampleCrmProviders, MORTISE_ROLES: 'api' }
  app = await startTestApp({ env })
  crm = await startSampleCrm({ contacts: 1, rateLimit: 0 })
  session = (await signInBuilder(app, { email: 'ada@example.com', role: 'developer' })).headers
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
})

const project = '/projects/default'
const goZeroTime = '0001-01-01T00:00:00Z'
let runs = 0

interface Integration {
  id: string
  name: string
  latestRevision: { content: { read: { objects: { objectName: string }[] } } }
}
interface Destination {
  id: string
  name: string
  type: string
  metadata: { url: string; headers?: Record<string, string> }
}

describe.each(['a key', 'a session'] as const)('with %s', (credential) => {
  let run: string
  beforeEach(() => {
    run = `run-${++runs}`
  })

  async function call<T = Record<string, unknown>>(method: string, path: string, body?: unknown) {
    const answer = await app.call<T>(method, path, body, {
      apiKey: null,
      headers: {
        ...(method !== 'DELETE' && { accept: 'application/json' }),
        'x-amp-client': 'amp-cli',
        'x-amp-client-version': 'v1.2.3',
        'x-amp-client-commit': 'c0ffee',
        'x-amp-client-branch': 'main',
        'x-amp-client-build-date': '2025-10-01',
        'x-amp-client-stage': 'local',
        'x-amp-debug-mode': 'true',
        ...(credential === 'a key' ? { 'x-api-key': app.apiKey } : session),
      },
    })
    expectTimes(answer.body)
    return answer
  }
  async function ok<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await call<T>(method, path, body)
    expect(Math.floor(answer.status / 100), `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(2)
    return answer.body
  }

  const yaml = (name: string, objects: string[], destination = 'hook') => `specVersion: 1.0.0
integrations:
  - name: ${name}
    provider: sampleCrm
    read:
      objects:
${objects.map((object) => `        - { objectName: ${object}, destination: ${destination}, schedule: "0 * * * *", requiredFields: [{ fieldName: id }] }`).join('\n')}
`

  /** `deploy <path>`: the five requests in their order. */
  async function deploy(source: string, { destructive = false, changed = [] as string[] } = {}) {
    const integrations = await ok<Integration[]>('GET', `${project}/integrations`)
    for (const { id } of integrations.filter(({ name }) => changed.includes(name)))
      await ok('GET', `${project}/integrations/${id}/installations`)
    const zip = craftZip([{ name: 'amp.yaml', content: source }])
    const md5 = createHash('md5').update(zip).digest('base64')
    const signed = await ok<{ url: string; bucket: string; path: string }>(
      'GET',
      `/generate-upload-url?md5=${encodeURIComponent(md5)}`,
    )
    expectMembers(signed, 'url bucket path')
    // Neither a content type nor a credential.
    const url = signed.url.replace(/^https?:\/\/[^/]+/, app.url)
    const put = await fetch(url, { method: 'PUT', headers: { 'content-md5': md5 }, body: new Uint8Array(zip) })
    expect(put.status).toBe(204)
    const path = signed.path.startsWith('/') ? signed.path : `/${signed.path}`
    return call<Integration[]>('PUT', `${project}/integrations:batch${destructive ? '?destructive=true' : ''}`, {
      sourceZipUrl: `gs://${signed.bucket}${path}`,
    })
  }

  async function install(name: string) {
    const groupRef = `${run}-group`
    const connection = await ok<{ id: string }>('POST', `${project}/connections:generate`, {
      groupRef,
      consumerRef: 'ada',
      provider: 'sampleCrm',
      apiKey: crm.apiKey,
      providerMetadata: { url: crm.url },
    })
    const config = { content: { provider: 'sampleCrm', read: { objects: { contacts: {} } } } }
    return ok<{ id: string; integrationId: string }>('POST', `${project}/integrations/${name}/installations`, {
      groupRef,
      connectionId: connection.id,
      config,
    })
  }

  test('deploy, deploy --destructive', async () => {
    const first = await deploy(yaml(run, ['contacts', 'companies']))
    expect([first.status, first.body.map(({ name }) => name)]).toEqual([200, [run]])
    await install(run)
    const second = await deploy(yaml(run, ['contacts']), { destructive: true, changed: [run] })
    expect(second.status, JSON.stringify(second.body)).toBe(200)
    const deployed = (await ok<Integration[]>('GET', `${project}/integrations`)).find(({ name }) => name === run)
    expect(deployed?.latestRevision.content.read.objects.map(({ objectName }) => objectName)).toEqual(['contacts'])
  })

  test('deploy: a manifest that is refused is a problem of its own media type, which it prints', async () => {
    const answer = await deploy(yaml(run, ['contacts', 'contacts']))
    expect(answer).toMatchObject({ status: 422, body: { status: 422, title: expect.stringMatching(/\S/) } })
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  })

  test('deploy: a file that was damaged on its way is refused', async () => {
    const md5 = createHash('md5').update('another').digest('base64')
    const { url } = await ok<{ url: string }>('GET', `/generate-upload-url?md5=${encodeURIComponent(md5)}`)
    const put = await fetch(url.replace(/^https?:\/\/[^/]+/, app.url), {
      method: 'PUT',
      headers: { 'content-md5': md5 },
      body: new Uint8Array(craftZip([{ name: 'amp.yaml', content: 'x' }])),
    })
    expect([put.status, await put.text()]).toEqual([400, expect.stringMatching(/MD5/)])
  })

  test('list:integrations, list:installations, delete:installation, delete:integration', async () => {
    await deploy(yaml(run, ['contacts']))
    const installation = await install(run)
    const integration = (await ok<Integration[]>('GET', `${project}/integrations`)).find(({ name }) => name === run)
    const path = `${project}/integrations/${integration?.id}`
    const list = await ok<object[]>('GET', `${path}/installations`)
    expect(list).toHaveLength(1)
    expectMembers(list[0], 'id createTime group')
    expect(list[0]).toMatchObject({
      id: installation.id,
      group: { groupRef: `${run}-group`, groupName: `${run}-group` },
    })
    expect((await call('DELETE', `${path}/installations/${installation.id}`)).status).toBe(204)
    expect(await ok('GET', `${path}/installations`)).toEqual([])
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await ok<Integration[]>('GET', `${project}/integrations`)).map(({ name }) => name)).not.toContain(run)
  })

  test('list:projects, without a project', async () => {
    const projects = await ok<{ id: string; name: string }[]>('GET', '/projects')
    expect(projects.map(({ id, name }) => [id, name])).toEqual([[app.projectId, 'default']])
  })

  test('list:connections, list:provider-apps', async () => {
    await deploy(yaml(run, ['contacts']))
    await install(run)
    const [connection] = await ok<object[]>('GET', `${project}/connections`)
    expectMembers(connection, 'id createTime status group consumer')
    const apps = async () => ok<Record<string, unknown>[]>('GET', `${project}/provider-apps`)
    const bare = { provider: 'salesforce', clientId: run, clientSecret: 'b' }
    await ok('POST', `${project}/provider-apps`, bare)
    const [unscoped] = await apps()
    expectMembers(unscoped, 'id createTime provider clientId')
    // A list of texts or nothing: this client can read no other.
    expect(unscoped?.['scopes'] ?? []).toEqual([])
    const scoped = { ...bare, clientId: `${run}-scoped`, externalRef: 'an-app', scopes: ['api'] }
    await ok('POST', `${project}/provider-apps`, scoped)
    expect((await apps())[0]).toMatchObject({ externalRef: 'an-app', scopes: ['api'] })
  })

  /** All that its struct holds, with what is not set as zero. */
  const struct = (change: object) => ({
    id: '',
    name: '',
    type: '',
    projectId: '',
    metadata: {},
    createTime: goZeroTime,
    updateTime: goZeroTime,
    ...change,
  })

  test('deploy:destination makes a destination, then changes it; list:destinations', async () => {
    const metadata = { url: 'https://203.0.114.5/hooks', headers: { 'X-Tenant': 'a' } }
    const list = () => ok<Destination[]>('GET', `${project}/destinations`)
    expect((await list()).some(({ name }) => name === run)).toBe(false)
    const absent = await call('GET', `${project}/destinations/${run}`)
    expect([absent.status, absent.body['status']]).toEqual([404, 404])
    expect(absent.headers.get('content-type')).toBe('application/problem+json')
    const made = await ok<Destination>(
      'POST',
      `${project}/destinations`,
      struct({ name: run, type: 'webhook', metadata }),
    )
    // Values of headers are never shown; the client does not read them.
    const shown = { url: metadata.url, headers: { 'X-Tenant': '***' } }
    expect(made).toMatchObject({ name: run, type: 'webhook', metadata: shown })
    expect(made.id).not.toBe('')
    expectMembers(made, 'id name type metadata createTime')

    const found = (await list()).find(({ name }) => name === run)
    expect(found?.metadata.url).toBe(metadata.url)
    const path = `${project}/destinations/${found?.id}`
    expect(await ok('GET', path)).toMatchObject({ id: made.id, metadata: shown })
    const moved = { url: 'https://203.0.114.5/moved', headers: null }
    const destination = struct({ id: made.id, name: `${run}-renamed`, type: 'webhook', metadata: moved })
    const updateMask = ['name', 'type', 'metadata']
    const changed = await ok<Destination>('PATCH', path, { destination, updateMask })
    expect(changed).toMatchObject({ id: made.id, name: `${run}-renamed`, metadata: { url: moved.url } })
    expect(changed.metadata.headers ?? {}).toEqual({})
    const another = { destination: struct({ name: run, type: 'kinesis' }), updateMask: ['type'] }
    expect((await call('PATCH', path, another)).status).toBe(400)
    // A field that the mask does not list says nothing, zero or not.
    const renamed = await ok('PATCH', path, { destination: struct({ name: run }), updateMask: ['name'] })
    expect(renamed).toMatchObject({ name: run, type: 'webhook', metadata: { url: moved.url } })
  })

  test('sync-ngrok moves a destination to another address', async () => {
    const made = await ok<Destination>('POST', `${project}/destinations`, {
      name: run,
      type: 'webhook',
      metadata: { url: 'https://203.0.114.5/hooks', headers: { 'X-Tenant': 'a' } },
    })
    const url = 'https://203.0.114.6/tunnel'
    const body = { destination: { metadata: { url } }, updateMask: ['metadata.url'] }
    const moved = await ok<Destination>('PATCH', `${project}/destinations/${made.id}`, body)
    expect(moved).toMatchObject({ id: made.id, metadata: { url, headers: { 'X-Tenant': '***' } } })
    const bare = struct({ metadata: { url } })
    expect(await ok('PATCH', `${project}/destinations/${made.id}`, { ...body, destination: bare })).toMatchObject({
      name: run,
      type: 'webhook',
    })
  })

  test('init: the providers', async () => {
    const providers = await ok<Record<string, { support: object }>>('GET', '/providers')
    for (const [name, info] of Object.entries(providers)) {
      expect(info).toMatchObject({ name, displayName: expect.stringMatching(/\S/) })
      for (const action of ['read', 'write', 'proxy']) expect(info.support).toHaveProperty(action, expect.any(Boolean))
    }
    expect(Object.keys(providers)).toContain('sampleCrm')
  })

  test('my-info, of a session alone', async () => {
    const answer = await call('GET', '/my-info')
    if (credential === 'a key') expect(answer).toMatchObject({ status: 403, body: { status: 403 } })
    else {
      expectMembers(answer.body, 'builder projectRoles')
      expect(answer.body['projectRoles']).toHaveProperty(app.projectId)
    }
  })

  test.each([
    ['GET', '/projects/no-such-project/integrations'],
    ['GET', `${project}/destinations/11111111-1111-4111-8111-111111111111`],
    ['GET', `${project}/integrations/no-such-integration/installations`],
    ['DELETE', `${project}/integrations/no-such-integration`],
    ['DELETE', `${project}/integrations/x/installations/y`],
  ])('%s %s: what is not there is 404 in the status and in the body', async (method, path) => {
    const answer = await call<{ status: number }>(method, path)
    expect([answer.status, answer.body.status]).toEqual([404, 404])
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  })
})
