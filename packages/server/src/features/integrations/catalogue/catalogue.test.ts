import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Ajv } from 'ajv'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { authOptions } from './auth-options.ts'
import { ProviderInfo } from './model.ts'
import { isKnown } from './written-catalogue.ts'

const providers = resolve(import.meta.dirname, '../../../../../../examples/sample-crm/providers')
const nobody = { apiKey: null }
let app: TestApp

beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providers } })
})
afterAll(async () => {
  await app?.stop()
})

const get = async (name: string) => {
  const answer = await app.call<ProviderInfo>('GET', `/providers/${encodeURIComponent(name)}`, undefined, nobody)
  expect(answer.status).toBe(200)
  return answer.body
}
const all = async () => (await app.call<Record<string, ProviderInfo>>('GET', '/providers', undefined, nobody)).body

/** Refuses what the schema does not name, so that nothing slips out that it does not say. */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(closed)
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return copy['type'] === 'object' && copy['properties'] ? { ...copy, additionalProperties: false } : copy
}

describe('the catalogue', () => {
  test('is open to anybody, names every provider, and each is what the schema says and no more', async () => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(closed(ProviderInfo) as object)
    const infos = await all()
    expect(Object.keys(infos)).toHaveLength(1_056)
    expect(Object.keys(infos)).toEqual(Object.keys(infos).toSorted())
    for (const [name, info] of Object.entries(infos)) {
      expect(validate(info), `${name}: ${JSON.stringify(validate.errors)}`).toBe(true)
      expect(info.name).toBe(name)
      expect(info.providerOpts).toEqual({})
      const { authType } = info
      const options = { oauth2: 'oauth2Opts', apiKey: 'apiKeyOpts', basic: 'basicOpts', custom: 'customOpts' } as const
      if (authType !== 'none') expect(info, name).toHaveProperty(options[authType as keyof typeof options])
      if (authType === 'oauth2') expect(info.oauth2Opts?.tokenURL, name).toMatch(/^(https:\/\/|\{\{\.)/)
    }
    const counts = Map.groupBy(Object.values(infos), ({ authType }) => authType)
    expect(Object.fromEntries([...counts].map(([type, of]) => [type, of.length]))).toEqual({
      oauth2: 377,
      none: 1,
      apiKey: 550,
      basic: 95,
      custom: 33,
    })
  })

  test('an entry says what it is based on', async () => {
    expect(await get('trello')).toMatchObject({
      evidence: { kind: 'documentation', date: expect.stringMatching(/^2/) },
    })
    expect(await get('trello')).not.toHaveProperty('confidence')
    expect(await get('parallel')).toMatchObject({ evidence: { summary: 'One source says how to connect' } })
  })

  test('an entry without objects says which provider describes them', async () => {
    expect(await get('gmail')).toMatchObject({ seeAlso: { provider: 'google', module: 'gmail' } })
    expect(await get('google')).not.toHaveProperty('seeAlso')
  })

  test('an entry that nobody has checked says how sure it is', async () => {
    expect(await get('parallel')).toMatchObject({ confidence: 'single', implemented: { proxy: true, read: false } })
    expect(await get('microsoftOutlook')).toMatchObject({ confidence: 'agreed' })
    expect(await get('hubspot')).not.toHaveProperty('confidence')
  })

  test('an entry says when it was compared with documentation, and what of it', async () => {
    const { documented } = await get('stripe')
    expect(documented).toEqual({ date: expect.stringMatching(/^2\d{3}-/), parts: expect.arrayContaining(['limits']) })
    expect(await get('parallel')).not.toHaveProperty('documented')
  })

  test('a provider says which OAuth scopes its objects need: in its modules, or without them at its root', async () => {
    const scopes = (await get('hubspot')).modules?.['crm']?.objectScopes ?? {}
    expect(scopes['contacts']).toMatchObject({
      read: [['crm.objects.contacts.read']],
      write: [['crm.objects.contacts.write']],
      delete: [['crm.objects.contacts.write']],
    })
    expect((await get('slack')).objectScopes?.['users']?.read).toEqual([['users:read']])
    expect(await get('hubspot')).not.toHaveProperty('objectScopes')
    expect(await get('notion')).not.toHaveProperty('objectScopes')
  })

  test('one provider is the same alone and in the list', async () => {
    const infos = await all()
    for (const name of ['hubspot', 'sampleCrm', 'salesforce', 'gitlab']) expect(await get(name)).toEqual(infos[name])
  })

  test('templates are written as clients know them, everywhere', async () => {
    const text = JSON.stringify(await all())
    expect(text.match(/\{\{(?!\.\w+\}\})[^}]*\}\}/g)).toBeNull()
    expect((await get('salesforce')).baseURL).toBe('https://{{.workspace}}.my.salesforce.com')
    expect((await get('gitlab')).customOpts).toEqual({
      headers: [{ name: 'PRIVATE-TOKEN', valueTemplate: '{{.token}}' }],
      inputs: [
        {
          name: 'token',
          displayName: 'Access Token',
          docsURL: 'https://gitlab.com/-/user_settings/personal_access_tokens',
          prompt: 'Create it in GitLab, in your profile under Access tokens',
        },
      ],
      multiStep: false,
    })
  })

  test('says what can be done with the provider, as its file describes it', async () => {
    const hubspot = await get('hubspot')
    expect(hubspot.support).toMatchObject({
      read: true,
      write: true,
      search: { operators: { equals: true } },
      bulkWrite: { insert: false, update: false, upsert: false, delete: false },
    })
    const { bulkWrite } = (await get('salesforce')).support
    expect(bulkWrite).toEqual({ insert: true, update: true, upsert: false, delete: false })
    const nothing = { read: false, write: false, delete: false, proxy: false, subscribe: false, search: false }
    const everything = { read: true, write: true, delete: true, proxy: true, subscribe: true, search: true }
    expect(hubspot.implemented).toEqual(everything)
    expect(hubspot.modules?.['crm']).toMatchObject({
      implemented: everything,
      support: {
        batchWrite: { create: { supported: true, defaultRecordLimit: 100 }, delete: { supported: false } },
      },
    })
    expect((await get('figma')).implemented).toEqual({ ...nothing, proxy: true })
    const told = { create: true, update: true, delete: true, passThrough: true }
    expect(hubspot.support.subscribeSupport).toEqual(told)
    expect(hubspot.modules?.['crm']?.support.subscribeSupport).toEqual(told)
    expect((await get('slack')).support.subscribeSupport).toMatchObject({ passThrough: true })
    expect((await get('figma')).support).not.toHaveProperty('subscribeSupport')
    // What the file only lists as undescribed is not claimed.
    const { search, ...aha } = (await get('aha')).support
    expect({ ...aha, search: search.operators.equals }).toMatchObject({ ...nothing, proxy: true })
    for (const [name, info] of Object.entries(await all())) {
      for (const { support, implemented } of [info, ...Object.values(info.modules ?? {})]) {
        const { bulkWrite: _, batchWrite: __, subscribeSupport, search, ...flags } = support
        expect({ ...flags, search: search.operators.equals }, name).toEqual(implemented)
        expect(subscribeSupport !== undefined, name).toBe(implemented.subscribe)
      }
    }
    // Its base URL is not known.
    expect((await get('aws')).implemented).toEqual(nothing)
  })

  test('tells what a form has to ask for', async () => {
    expect((await get('hubspot')).providerAppMetadata?.authQueryParams).toMatchObject([{ name: 'optional_scope' }])
    expect(await get('netsuiteM2M')).toMatchObject({
      metadata: {
        input: [
          {
            name: 'workspace',
            defaultValue: '1234567-sb',
            moduleDependencies: { restapi: {}, suiteql: {}, restlet: {} },
          },
          { name: 'scriptURL' },
        ],
        postAuthentication: [{ name: 'sessionTimezone' }, { name: 'sessionTimezoneIsDefault' }],
      },
    })
    expect((await get('microsoftAdminConsent')).customOpts?.providerInputs).toMatchObject([
      { name: 'clientId', fieldType: 'fieldTypeText' },
      { name: 'clientSecret', fieldType: 'fieldTypePassword' },
    ])
    expect((await get('sampleCrm')).authHealthCheck).toEqual({ url: '{{.url}}/me' })
  })
})

test('files of the operator’s show: one of their own, one in place of ours, and a broken one changes nothing', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'mortise-providers-'))
  const authentication = `
authentication:
  - scheme: custom
    headers: { X-Key: '{{key}}', X-Region: '{{region}}' }
    inputs:
      - { name: key, displayName: Key, prompt: From your profile, docsUrl: 'https://docs.example.com/keys' }
      - { name: region, fieldType: select, options: [{ value: eu, label: Europe }, { value: us, label: America }] }
`
  await writeFile(join(dir, 'ours.yaml'), `name: ours\nbaseUrl: https://api.example.com\n${authentication}`)
  await writeFile(
    join(dir, 'zoom.yaml'),
    `name: zoom\ndisplayName: Our Zoom\nbaseUrl: https://zoom.example.com\n${authentication}`,
  )
  await writeFile(join(dir, 'slack.yaml'), 'name: slack\nbaseUrl: {{{')
  const own = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: dir } })
  try {
    const read = async (name: string) =>
      (await own.call<ProviderInfo>('GET', `/providers/${name}`, undefined, nobody)).body
    expect(await read('ours')).toMatchObject({
      displayName: 'ours',
      authType: 'custom',
      customOpts: {
        inputs: [
          { name: 'key', displayName: 'Key', prompt: 'From your profile', docsURL: 'https://docs.example.com/keys' },
          {
            name: 'region',
            displayName: 'region',
            fieldType: 'fieldTypeSelect',
            options: [
              { value: 'eu', label: 'Europe' },
              { value: 'us', label: 'America' },
            ],
          },
        ],
      },
      implemented: { read: false, proxy: true },
    })
    expect(await read('zoom')).toMatchObject({ displayName: 'Our Zoom', baseURL: 'https://zoom.example.com' })
    expect(await read('slack')).toEqual(await get('slack'))
  } finally {
    await own.stop()
    await rm(dir, { recursive: true })
  }
})

test('what OAuth does differently at a provider is told', async () => {
  const oauth2 = {
    scheme: 'oauth2' as const,
    tokenUrl: 'https://{{workspace}}.example.com/token',
    keepAliveIntervalHours: 6,
    tokenHeader: { name: 'X-Token', prefix: '' },
    tokenMetadataFields: {
      workspaceRef: { path: 'account.url', capture: '//(?<result>[^.]+)' },
      scopes: 'scope',
      others: [{ name: 'domain', path: 'api_domain' }],
    },
  }
  expect(authOptions([oauth2])).toEqual({
    oauth2Opts: {
      grantType: 'authorizationCode',
      tokenURL: 'https://{{.workspace}}.example.com/token',
      explicitScopesRequired: false,
      explicitWorkspaceRequired: false,
      tokenMetadataFields: {
        workspaceRefField: 'account.url',
        scopesField: 'scope',
        otherFields: [{ name: 'domain', displayName: 'domain', path: 'api_domain' }],
      },
      accessTokenOpts: { attachmentType: 'accessTokenHeaderAttachment', header: { name: 'X-Token' } },
      keepAliveIntervalHours: 6,
    },
  })
})

describe('entity tags', () => {
  test('who has the answer already is told 304', async () => {
    for (const path of ['/providers', '/providers/hubspot']) {
      const first = await app.call('GET', path, undefined, nobody)
      const etag = first.headers.get('etag') ?? ''
      // The whole list is compressed, so that its tag is weak.
      expect(etag).toMatch(path === '/providers' ? /^W\/"[\w-]+"$/ : /^"[\w-]+"$/)
      expect(first.headers.get('content-type')).toMatch(/^application\/json/)
      const again = await app.call('GET', path, undefined, {
        ...nobody,
        headers: { 'if-none-match': `"x", W/${etag.replace('W/', '')}` },
      })
      expect(again).toMatchObject({ status: 304, body: '' })
      expect(again.headers.get('etag')).toBe(etag.replace('W/', ''))
    }
  })

  test('the whole list is the same with gzip, in a tenth of the bytes', async () => {
    const as = async (encoding: string) => {
      const { body, headers } = await request(`${app.url}/v1/providers`, { headers: { 'accept-encoding': encoding } })
      return {
        encoding: headers['content-encoding'],
        vary: headers['vary'],
        bytes: Buffer.from(await body.arrayBuffer()),
      }
    }
    const plain = await as('identity')
    const zipped = await as('gzip;q=0.5, br')
    expect([plain.encoding, zipped.encoding, (await as('gzip;q=0')).encoding]).toEqual([undefined, 'gzip', undefined])
    expect([plain.vary, zipped.vary]).toEqual(['accept-encoding', 'accept-encoding'])
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true)
    expect(zipped.bytes.length * 10).toBeLessThan(plain.bytes.length)
  })

  test.each<[string | undefined, boolean]>([
    [undefined, false],
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['*', true],
    ['"b"', false],
    ['', false],
  ])('If-None-Match: %s', (header, known) => {
    expect(isKnown(header, '"a"')).toBe(known)
  })
})

test.each([
  ['Hubspot', 'Did you mean "hubspot"?'],
  ['nothing-like-it-at-all', expect.stringContaining('List the providers')],
  ['constructor', expect.any(String)],
  ['a/b%', expect.any(String)],
])('%s is no provider', async (name, remedy) => {
  const answer = await app.call('GET', `/providers/${encodeURIComponent(name)}`, undefined, nobody)
  expect(answer).toMatchObject({ status: 404, body: { context: { code: 'provider-not-found' }, remedy } })
})
