import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SampleCrm, startSampleCrm } from '@mortise-examples/sample-crm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deploy, sampleCrmProviders } from '../../packages/server/src/features/sync/reading/reading.testkit.ts'
import { startTestApp, type TestApp } from '../../packages/server/src/testkit/test-app.ts'
import { createSigner, type TestSigner } from '../../packages/server/src/testkit/test-consumer.ts'
import { expectMembers, expectTimes } from './answers.testkit.ts'

/**
 * What the React library (2.16.1) sends, and the facts of the answers that it relies on: contract 8.2, rows 1, 2, 5 to
 * 13 and 19, with a key and with a token. Rows 3, 4 and 14 to 18 are in
 * features/integrations/installations/react-client.test.ts.
 */

let providers: string
let app: TestApp
let crm: SampleCrm
let signer: TestSigner
let connectionGroups = 0

/** The sample CRM once for each way to authenticate; nothing is asked of the last ones. */
const schemes: Record<string, string> = {
  sampleCrm: '  - { scheme: apiKey, attach: header, name: X-Api-Key, docsUrl: "https://docs.example.com/key" }',
  basicCrm: '  - { scheme: basic, docsUrl: "https://docs.example.com/basic" }',
  noneCrm: '  - scheme: none',
  customCrm:
    '  - { scheme: custom, headers: { X-Api-Key: "{{secretKey}}" }, inputs: [{ name: secretKey, displayName: Key }] }',
}

beforeAll(async () => {
  providers = await mkdtemp(join(tmpdir(), 'mortise-react-'))
  const file = await readFile(join(sampleCrmProviders, 'sampleCrm.yaml'), 'utf8')
  for (const [name, authentication] of Object.entries(schemes)) {
    const text = file
      .replace(/^name: .*$/m, `name: ${name}`)
      .replace(/^authentication:\n(?: {2}.*\n)+/m, `authentication:\n${authentication}\n`)
    await writeFile(join(providers, `${name}.yaml`), text)
  }
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providers, MORTISE_ROLES: 'api' } })
  expect(app.logs.filter((line) => line.includes('left out'))).toEqual([])
  crm = await startSampleCrm({ contacts: 1, rateLimit: 0 })
  signer = await createSigner(app)
  await deploy(app, 'react')
  const metadata = { providerParams: { packageInstallURL: 'https://example.com/package' } }
  const providerApp = { provider: 'salesforce', clientId: 'a', clientSecret: 'b', metadata }
  await app.call('POST', '/projects/default/provider-apps', providerApp)
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
  await rm(providers, { recursive: true, force: true })
})

const project = '/projects/default'

interface Problem {
  detail: string
  remedy?: string
  causes?: unknown
  context: { code: string; operation?: string }
}
interface Listed {
  id: string
  projectId: string
  provider: string
  status: string
  providerMetadata: Record<string, { value: string; source: string }>
}

describe.each(['an API key', 'a consumer token'] as const)('with %s', (credential) => {
  const consumerRef = 'ada'
  let groupRef: string
  beforeEach(() => {
    groupRef = `react-${++connectionGroups}`
  })

  const authentication = async (): Promise<Record<string, string>> =>
    credential === 'an API key' ? { 'x-api-key': app.frontendKey } : signer.headers(groupRef, consumerRef)
  async function call<T = Record<string, unknown>>(method: string, path: string, body?: unknown) {
    const headers = { 'x-amp-client': 'react', 'x-amp-client-version': '2.16.1', ...(await authentication()) }
    const answer = await app.call<T>(method, path, body, {
      apiKey: null,
      headers: { origin: 'https://app.example.com', ...headers },
    })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/\bx-request-id\b/i)
    expect(answer.headers.get('x-request-id')).toBeTruthy()
    expectTimes(answer.body)
    return answer
  }

  /** As the library sends it: names only where its component was given them. */
  const who = () => ({ groupRef, groupName: 'A group', consumerRef, consumerName: 'Ada' })
  const url = () => ({ url: { value: crm.url, source: 'input' } })
  const generate = (provider: string, more: object) =>
    call<Listed & Problem>('POST', `${project}/connections:generate`, {
      ...who(),
      provider,
      providerMetadata: url(),
      ...more,
    })
  /** Opens the URL as the popup does; answers the page of the provider that it is redirected to. */
  const opened = async (start: string) => {
    const { pathname, search } = new URL(start)
    const { status, headers } = await fetch(`${app.url}${pathname}${search}`, { redirect: 'manual' })
    expect([status, headers.get('set-cookie')]).toEqual([303, expect.stringContaining('mortise_connect=')])
    return new URL(headers.get('location')!)
  }
  const connected = async () => {
    const answer = await generate('sampleCrm', { apiKey: crm.apiKey })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body
  }

  test('row 1: the project', async () => {
    const { status, body } = await call('GET', project)
    expect([status, body]).toMatchObject([200, { id: app.projectId, appName: expect.stringMatching(/\S/) }])
    expect((await call('GET', `/projects/${app.projectId}`)).body).toEqual(body)
    expect(body).not.toHaveProperty('entitlements')
  })

  test('row 2: its entitlements', async () => {
    const { body } = await call<{ entitlements: { brandingRemoval: { value: boolean } } }>(
      'GET',
      `${project}?includeEntitlements=true`,
    )
    expect(body.entitlements.brandingRemoval.value).toEqual(expect.any(Boolean))
  })

  test('row 5: a provider of each kind', async () => {
    const info = async (name: string) => {
      const { status, body } = await call('GET', `/providers/${name}`)
      expect(status).toBe(200)
      expectMembers(body, 'name displayName authType baseURL support')
      expect(body['defaultModule']).toEqual(expect.any(String))
      return body
    }
    expect(await info('sampleCrm')).toMatchObject({
      authType: 'apiKey',
      apiKeyOpts: { docsURL: 'https://docs.example.com/key' },
      metadata: { input: [{ name: 'url', displayName: 'Address' }] },
    })
    expect(await info('basicCrm')).toMatchObject({
      authType: 'basic',
      basicOpts: { docsURL: 'https://docs.example.com/basic' },
    })
    expect(await info('noneCrm')).toMatchObject({ authType: 'none' })
    const custom = await info('customCrm')
    expect(custom).toMatchObject({ authType: 'custom', customOpts: { inputs: [{ name: 'secretKey' }] } })
    expect((custom['customOpts'] as { multiStep?: boolean }).multiStep ?? false).toBe(false)
    const oauth2Opts = { grantType: 'authorizationCodePKCE', explicitScopesRequired: expect.any(Boolean) }
    expect(await info('salesforce')).toMatchObject({ authType: 'oauth2', oauth2Opts })
  })

  test('row 6: the connections of the group to the provider, the newest first', async () => {
    const path = `${project}/connections?provider=sampleCrm&groupRef=${groupRef}`
    expect((await call('GET', path)).body).toEqual([])
    const first = await connected()
    const second = await generate('sampleCrm', { apiKey: crm.apiKey, providerWorkspaceRef: 'another' })
    await generate('basicCrm', { basicAuth: { username: 'a', password: 'b' } })
    const { body } = await call<Listed[]>('GET', path)
    expect(body.map(({ id }) => id)).toEqual([second.body.id, first.id])
    expectMembers(body[0], 'id projectId provider status group consumer providerMetadata providerWorkspaceRef')
    expect(body[0]?.providerMetadata).toEqual({ url: { value: crm.url, source: 'input' } })
  })

  test('row 7: a connection by each form', async () => {
    for (const [provider, credentials] of [
      ['sampleCrm', { apiKey: crm.apiKey }],
      ['basicCrm', { basicAuth: { username: 'somebody', password: '' } }],
      ['customCrm', { customAuth: { secretKey: crm.apiKey } }],
      ['noneCrm', {}],
    ] as const) {
      const answer = await generate(provider, credentials)
      expect([provider, answer.status, answer.body.detail]).toEqual([provider, 201, undefined])
      const list = await call<Listed[]>('GET', `${project}/connections?provider=${provider}&groupRef=${groupRef}`)
      expect(list.body[0]).toMatchObject({ id: answer.body.id, provider, group: { groupName: 'A group' } })
      expect(list.body[0]?.providerMetadata).toEqual(expect.any(Object))
    }
    // Of a provider without inputs.
    const clientCredentials = { clientId: 'a', clientSecret: 'b', scopes: ['c'] }
    const robot = await generate('adobe', { providerMetadata: {}, oauth2ClientCredentials: clientCredentials })
    expect(robot).toMatchObject({ status: 201, body: { authScheme: 'oauth2/clientCredentials' } })
  })

  test('row 7: what is wrong with a form stands in detail', async () => {
    const answer = await generate('sampleCrm', { basicAuth: { username: 'a', password: 'b' } })
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/\S/) } })
    if (answer.body.causes !== undefined) expect(answer.body.causes).toEqual(expect.any(Array))
    expect(answer.headers.get('content-type')).toMatch(/json/)
  })

  test.each([undefined, 'acme'])(
    'row 8: OAuth begins with a URL as text (workspace: %s)',
    async (providerWorkspaceRef) => {
      const answer = await call<string>('POST', '/oauth-connect', {
        projectIdOrName: app.projectId,
        provider: 'salesforce',
        ...who(),
        ...(providerWorkspaceRef && { providerWorkspaceRef }),
        providerMetadata: {},
        enableCSRFProtection: false,
      })
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
      const url = await opened(answer.body)
      expect(url.origin).toBe(`https://${providerWorkspaceRef ?? 'login'}.my.salesforce.com`)
      expect(url.searchParams.get('code_challenge_method')).toBe('S256')
    },
  )

  test('row 9: so does authorising again', async () => {
    const imported = await app.call<{ id: string }>('POST', `${project}/connections:generate`, {
      ...who(),
      provider: 'salesforce',
      providerWorkspaceRef: 'acme',
      oauth2AuthorizationCode: { accessToken: { token: 'an-access-token' } },
    })
    const answer = await call<string>(
      'PATCH',
      `/projects/${app.projectId}/connections/${imported.body.id}:oauth-update`,
    )
    expect([answer.status, (await opened(answer.body)).host]).toEqual([200, 'acme.my.salesforce.com'])
  })

  test('row 11: the credential and the metadata change, each by its mask', async () => {
    const change = (id: string, mask: string, connection: object) =>
      call<Listed & Problem>('PATCH', `${project}/connections/${id}`, { updateMask: [mask], connection })
    const { id, providerMetadata } = await connected()
    expect((await change(id, 'apiKey', { apiKey: 'another' })).status).toBe(200)
    const merged = { ...providerMetadata, region: { value: 'eu', source: 'input' } }
    const changed = await change(id, 'providerMetadata', { providerMetadata: merged })
    expect([changed.status, changed.body.providerMetadata]).toEqual([200, merged])
    const basic = await generate('basicCrm', { basicAuth: { username: 'a', password: 'b' } })
    const basicAuth = { username: 'c', password: 'd' }
    expect((await change(basic.body.id, 'basicAuth', { basicAuth })).status).toBe(200)
    const mismatch = await change(id, 'oauth2ClientCredentials', {
      oauth2ClientCredentials: { clientId: 'a', clientSecret: 'b' },
    })
    expect(mismatch).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/\S/) } })
  })

  test('rows 12 and 19: a connection is looked at and removed', async () => {
    const { id } = await connected()
    const { body } = await call<Listed>('GET', `${project}/connections/${id}`)
    expect(body).toMatchObject({ id, projectId: app.projectId, provider: 'sampleCrm' })
    expect(JSON.stringify(body)).not.toContain(crm.apiKey)
    expect((await call('DELETE', `${project}/connections/${id}`)).status).toBe(204)
    expect((await call('GET', `${project}/connections/${id}`)).status).toBe(404)
  })

  test('row 13: the provider apps', async () => {
    const { body } = await call<{ provider: string }[]>('GET', `${project}/provider-apps`)
    expect(body).toEqual([
      expect.objectContaining({
        provider: 'salesforce',
        metadata: { providerParams: { packageInstallURL: 'https://example.com/package' } },
      }),
    ])
    expect(JSON.stringify(body)).not.toContain('clientSecret')
  })

  test.each([
    ['GET', project],
    ['POST', `${project}/connections:generate`],
    ['POST', '/oauth-connect'],
    ['PATCH', `${project}/connections/x:oauth-update`],
    ['PATCH', `${project}/integrations/x/installations/y`],
    ['PUT', `${project}/integrations/x/object-metadata`],
    ['DELETE', `${project}/connections/x`],
    ['GET', '/providers/hubspot'],
  ])('a browser may %s %s from any page', async (method, path) => {
    const asked = ['content-type', ...Object.keys(await authentication()), 'x-amp-client', 'x-amp-client-version']
    const answer = await fetch(`${app.url}/v1${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': method,
        'access-control-request-headers': asked.toSorted().join(','),
      },
    })
    const allowed = (name: string) => answer.headers.get(`access-control-allow-${name}`)?.toLowerCase().split(/, */)
    expect(answer.status).toBe(204)
    expect(allowed('origin')).toEqual(['*'])
    expect(allowed('methods')).toContain(method.toLowerCase())
    expect(allowed('headers')).toEqual(expect.arrayContaining(asked))
    expect(allowed('credentials')).toBeUndefined()
  })
})

test('a refused credential is readable by the page too', async () => {
  const headers = { origin: 'https://app.example.com', 'x-api-key': 'nonsense' }
  const answer = await app.call<Problem>('GET', project, undefined, { apiKey: null, headers })
  expect(answer).toMatchObject({ status: 401, body: { detail: expect.stringMatching(/\S/) } })
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
})
