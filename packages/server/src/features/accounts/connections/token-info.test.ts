import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.stop())

const path = () => `/projects/${app.projectId}`
const tokens = {
  accessToken: { token: 'at-1', issuedAt: '2029-12-31T23:00:00Z', expiresAt: '2030-01-01T00:00:00Z' },
  refreshToken: { token: 'rt-1' },
  scopes: ['contacts', 'openid'],
}
const times = { issuedAt: tokens.accessToken.issuedAt, expiresAt: tokens.accessToken.expiresAt }

async function made(body: object): Promise<string> {
  const answer = await app.call<{ id: string }>('POST', `${path()}/connections:generate`, {
    groupRef: 'acme',
    consumerRef: 'ada',
    ...body,
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id
}
const get = (id: string, query = '?includeTokenInfo=true') =>
  app.call<object>('GET', `${path()}/connections/${id}${query}`, undefined, { apiKey: app.frontendKey })

test('who may see no token sees when it expires, and which scopes were granted', async () => {
  const id = await made({ provider: 'hubspot', oauth2AuthorizationCode: tokens })
  const { body } = await get(id)
  const tokenInfo = { ...times, isRenewable: true, scopes: tokens.scopes, missingScopes: [] }
  expect(body).toMatchObject({ tokenInfo })
  expect(JSON.stringify(body)).not.toMatch(/at-1|rt-1/)
  expect((await get(id, '')).body, 'only on request').not.toHaveProperty('tokenInfo')
})

test('scopes of the app that were not granted are named, but not those that providers keep to themselves', async () => {
  const scopes = ['contacts', 'deals', 'offline_access']
  const credentials = { provider: 'hubspot', clientId: 'client', clientSecret: 'secret' }
  const created = await app.call<{ id: string }>('POST', `${path()}/provider-apps`, { ...credentials, scopes })
  const id = await made({ consumerRef: 'bob', provider: 'hubspot', oauth2AuthorizationCode: tokens })
  // As if the account had been connected through the app.
  await sql`update connections set provider_app_id = ${created.body.id} where id = ${id}`.execute(app.db.sql)
  expect((await get(id)).body).toMatchObject({ tokenInfo: { scopes: tokens.scopes, missingScopes: ['deals'] } })
})

test('a token that nothing renews says so, and scopes that the provider did not name are absent', async () => {
  const { accessToken } = tokens
  const id = await made({ consumerRef: 'eve', provider: 'hubspot', oauth2AuthorizationCode: { accessToken } })
  expect((await get(id)).body).toMatchObject({ tokenInfo: { ...times, isRenewable: false } })
  expect(Object.keys((await get(id)).body['tokenInfo' as never])).not.toContain('scopes')
})

test('a connection without OAuth tokens has no such information', async () => {
  const id = await made({ provider: 'stripe', apiKey: 'sk_test' })
  expect((await get(id)).body).not.toHaveProperty('tokenInfo')
})
