import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openConnector } from '../calls/index.ts'
import { type ProblemBody, type ProxyingKit, problemOf, proxyManifest, startProxyingKit } from './proxying.testkit.ts'

/** A provider whose requests need a secret of the provider app, and may have another value of it. */
const files = (url: string) => ({
  ads: `
name: ads
displayName: Ads
baseUrl: ${url}
inputs: [{ name: url, use: kept }, { name: manager, use: optional }]
authentication:
  - { scheme: oauth2, grantType: authorizationCode, authUrl: '${url}/authorize', tokenUrl: '${url}/token' }
headers: { developer-token: 'Key {{app.developerToken}}', x-region: '{{app.region}}', x-client: '{{app.clientId}}', x-manager: '{{manager}}' }
appMetadata:
  providerParams:
    - { name: developerToken, displayName: Developer token, secret: true, required: true, pattern: '[a-z0-9-]+' }
    - { name: region, displayName: Region }
errors: { message: [error] }
objects:
  rows:
    read:
      method: POST
      path: /rows
      query: { via: '{{app.region}}' }
      headers: { x-again: '{{app.developerToken}}' }
      body: { signed: { $value: app.developerToken } }
      records: data
      paging: { kind: nextUrl, next: next }
`,
})

const token = 'developer-token-7f3a91'
const rotated = 'developer-token-after-it'
let kit: ProxyingKit
let installationId: string
let connectionId: string
let appId: string
const clients = { provider: 'ads', clientId: 'client', clientSecret: 'secret' }
const params = (providerParams: object) => ({ metadata: { providerParams } })
const patchApp = (providerApp: object, id = appId) =>
  kit.app.call<ProblemBody>('PATCH', `${kit.base}/provider-apps/${id}`, {
    updateMask: Object.keys(providerApp),
    providerApp,
  })
const connector = async () =>
  (await openConnector({ projectId: kit.app.projectId }, kit.app.app.services, connectionId)).connector

beforeAll(async () => {
  kit = await startProxyingKit({ files })
  expect(kit.app.app.services.catalogue.faults).toEqual([])
  kit.provider.answers((request, response) => {
    void kit.provider.note(request).then(() => {
      const refused = request.url === '/refuse' || request.headers['x-manager'] === 'refused'
      // A next page with the parameters of this one, as many providers have it.
      const next = request.url?.includes('page=2') ? undefined : `${kit.provider.url}${request.url}&page=2`
      response.writeHead(refused ? 400 : 200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(refused ? { error: `bad ${request.headers['developer-token']}` } : { data: [{ id: 1 }], next }),
      )
    })
  })
  const made = { ...clients, ...params({ developerToken: token, region: 'eu' }) }
  ;({ id: appId } = await kit.made<{ id: string }>('POST', `${kit.base}/provider-apps`, made))
  await kit.deploy(`${proxyManifest}  - { name: ads, provider: ads, proxy: { enabled: true } }\n`)
  const credential = { oauth2AuthorizationCode: { accessToken: { token: 'access' } } }
  ;({ id: installationId, connectionId } = await kit.install('ads', 'acme', { apiKey: undefined, ...credential }))
})
afterAll(() => kit?.stop())
beforeEach(() => {
  kit.provider.seen.length = 0
})

test('requests of the proxy carry the settings of the provider app, and no header of the caller replaces them', async () => {
  const headers = { 'developer-token': 'mine', 'x-region': 'mine', 'x-client': 'mine' }
  expect((await kit.call(installationId, '/anything', { headers })).status).toBe(200)
  const [sent] = kit.provider.seen
  expect(sent?.headers).toMatchObject({ 'developer-token': `Key ${token}`, 'x-region': 'eu', 'x-client': 'client' })
})

test('requests for objects have them in headers, query and body, also on later pages, and no page token holds them', async () => {
  const ads = await connector()
  const first = await ads.readPage({ object: 'rows', fields: 'all' })
  expect(first.nextPage).toBeDefined()
  expect(Buffer.from(first.nextPage ?? '', 'base64url').toString()).not.toContain('via')
  await ads.readPage({ object: 'rows', fields: 'all', page: first.nextPage ?? '' })
  expect(kit.provider.seen.map(({ url, headers, body }) => [url, headers['x-again'], body.toString()])).toEqual([
    ['/rows?via=eu', token, `{"signed":"${token}"}`],
    ['/rows?page=2&via=eu', token, `{"signed":"${token}"}`],
  ])
  expect(kit.provider.seen.every(({ headers }) => headers['developer-token'] === `Key ${token}`)).toBe(true)
})

test('an answer that repeats the secret shows it nowhere', async () => {
  const change = (manager: string | undefined) =>
    kit.made('PATCH', `${kit.base}/connections/${connectionId}`, {
      updateMask: ['providerMetadata'],
      connection: { providerMetadata: { url: kit.provider.url, ...(manager && { manager }) } },
    })
  await change('refused')
  const refused = await (await connector()).readPage({ object: 'rows', fields: 'all' }).catch((error: Error) => error)
  await change(undefined)
  const { message, providerMessage, rawResponse } = refused as Error & Record<string, string>
  expect(providerMessage).toMatch(/^bad Key/)
  expect(`${message} ${providerMessage} ${rawResponse}`).not.toContain(token)
})

test('no response, row, log or entry of the audit log contains the secret', async () => {
  const { body: apps } = await kit.app.call('GET', `${kit.base}/provider-apps`)
  const { body: entries } = await kit.app.call('GET', `${kit.base}/audit-log`)
  const { rows } = await sql`select * from provider_apps`.execute(kit.app.db.sql)
  expect(JSON.stringify(apps)).toContain('"region":"eu"')
  expect(JSON.stringify([apps, entries, rows, kit.app.logs])).not.toContain(token)
})

test('a new value is used by the next requests; one that is not sent stays', async () => {
  await patchApp(params({ developerToken: rotated }))
  await vi.waitFor(async () => {
    kit.provider.seen.length = 0
    await kit.call(installationId, '/anything')
    expect(kit.provider.seen[0]?.headers).toMatchObject({ 'developer-token': `Key ${rotated}` })
    expect(kit.provider.seen[0]?.headers).not.toHaveProperty('x-region')
  })
  expect((await patchApp(params({ region: 'us' }))).status).toBe(200)
  await vi.waitFor(async () => {
    kit.provider.seen.length = 0
    await kit.call(installationId, '/anything')
    expect(kit.provider.seen[0]?.headers).toMatchObject({ 'developer-token': `Key ${rotated}`, 'x-region': 'us' })
  })
})

test('all errors of the settings are in one answer, without their values', async () => {
  const at = 'metadata.providerParams'
  const names = (body: ProblemBody) => body.issues?.map(({ name }) => name)
  const create = (body: object) => kit.app.call<ProblemBody>('POST', `${kit.base}/provider-apps`, body)
  const without = await create({ ...clients, clientSecret: '' })
  expect([without.status, names(without.body)]).toEqual([400, ['clientSecret', `${at}.developerToken`]])
  for (const developerToken of ['two\nlines', 'Not Of The Form', ' spaced '])
    for (const region of ['eu\r\nx-injected: 1']) {
      const wrong = await create({ ...clients, ...params({ developerToken, region }) })
      expect([wrong.status, names(wrong.body)]).toEqual([422, [`${at}.developerToken`, `${at}.region`]])
      expect(JSON.stringify(wrong.body)).not.toContain(developerToken.trim().split('\n')[0])
    }
  const spaced = await create({ ...clients, ...params({ developerToken: token }), clientId: 'cli\nent' })
  expect([spaced.status, names(spaced.body)]).toEqual([422, ['clientId']])
  const changed = await patchApp({ clientId: ' client' })
  expect([changed.status, names(changed.body)]).toEqual([400, ['providerApp.clientId']])
  const emptied = await patchApp(params({ developerToken: '' }))
  expect([emptied.status, names(emptied.body)]).toEqual([400, [`providerApp.${at}.developerToken`]])
  const { body: info } = await kit.app.call<{ providerAppMetadata: object }>('GET', '/providers/ads')
  expect(info.providerAppMetadata).toEqual({
    providerParams: [
      { name: 'developerToken', displayName: 'Developer token', secret: true, required: true },
      { name: 'region', displayName: 'Region' },
    ],
  })
})

test('an app that lacks a required setting stops requests before they are sent; lists and deploys say so', async () => {
  await sql`update provider_apps set encrypted_params = null, update_time = now() where id = ${appId}`.execute(
    kit.app.db.sql,
  )
  await vi.waitFor(async () => {
    const answered = await kit.call(installationId, '/anything')
    expect(problemOf(answered)).toMatchObject({
      status: 422,
      context: { code: 'provider-app-incomplete' },
      detail: 'The provider app of Ads lacks Developer token.',
    })
  })
  kit.provider.seen.length = 0
  await expect((await connector()).readPage({ object: 'rows', fields: 'all' })).rejects.toThrow('lacks Developer token')
  expect(kit.provider.seen).toEqual([])
  const { body: connection } = await kit.app.call<{ status: string }>('GET', `${kit.base}/connections/${connectionId}`)
  expect(connection.status).not.toBe('bad_credentials')
  const { body: apps } = await kit.app.call<{ missingParams?: string[] }[]>('GET', `${kit.base}/provider-apps`)
  expect(apps.map(({ missingParams }) => missingParams)).toEqual([['developerToken']])
  const sourceYaml = `specVersion: 1.0.0\nintegrations: [{ name: ads, provider: ads, proxy: { enabled: true } }]`
  const { body: validated } = await kit.app.call<{ valid: boolean; findings: { rule: string; message: string }[] }>(
    'POST',
    `${kit.base}/integrations:validate`,
    { sourceYaml },
  )
  expect(validated.findings).toMatchObject([
    { rule: 'provider-app-params', message: expect.stringContaining('lacks a setting: Developer token') },
  ])
  // The client secret can be replaced nevertheless.
  expect((await patchApp({ clientSecret: 'another' })).status).toBe(200)
})
