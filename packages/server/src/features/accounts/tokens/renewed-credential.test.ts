import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type AuthorizationServer,
  authorizationClients,
  authorizationProvider,
  startAuthorizationServer,
} from '../../../testkit/authorization-server.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import type { OAuth2Credential } from '../credentials/index.ts'
import { type RenewedConnection, renewedCredential } from './renewed-credential.ts'

let server: AuthorizationServer
let app: TestApp
let providersDir: string

beforeAll(async () => {
  server = await startAuthorizationServer()
  server.people.set('ann', 'swordfish')
  providersDir = await mkdtemp(join(tmpdir(), 'mortise-renewed-'))
  for (const [name, grantType] of [
    ['persons', 'password'],
    ['codes', 'authorizationCode'],
    ['unregistered', 'authorizationCode'],
  ] as const)
    await writeFile(join(providersDir, `${name}.yaml`), authorizationProvider(server, name, grantType))
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providersDir } })
})
afterAll(async () => {
  await app?.stop()
  await server?.close()
  await rm(providersDir, { recursive: true, force: true })
})
afterEach(() => {
  server.answerTokens(undefined)
  server.tokenRequests.length = 0
})

const client = { clientId: 'basic', clientSecret: authorizationClients.basic }
const ofProvider = (provider: string, changes: Partial<RenewedConnection> = {}): RenewedConnection => ({
  provider,
  provider_metadata: null,
  provider_workspace_ref: null,
  provider_app_id: null,
  ...changes,
})
const renewed = async (connection: RenewedConnection, stored: OAuth2Credential) =>
  (await renewedCredential(app.db, app.app.services, connection, stored)).credential as OAuth2Credential
const makeApp = async (clientSecret: string) => {
  const answer = await app.call<{ id: string }>('POST', `/projects/${app.projectId}/provider-apps`, {
    provider: 'codes',
    clientId: 'basic',
    clientSecret,
  })
  return answer.body.id
}

test('the app that a connection was made through renews it; without one, the newest of the provider', async () => {
  const mine = await makeApp(client.clientSecret)
  await makeApp('another secret')
  const { refreshToken } = await server.issue()
  const stored: OAuth2Credential = { scheme: 'oauth2', refreshToken: { token: refreshToken }, scopes: ['kept'] }
  const next = await renewed(ofProvider('codes', { provider_app_id: mine }), stored)
  expect(next.accessToken?.expiresAt).toBeDefined()
  expect(next.refreshToken?.token).not.toBe(refreshToken)
  await expect(renewed(ofProvider('codes'), next)).rejects.toMatchObject({
    name: 'TokenRefused',
    error: 'invalid_client',
  })
})

test('what the provider does not send again stays; an end that it does not tell is not known', async () => {
  const mine = await makeApp(client.clientSecret)
  server.answerTokens((_, response) => response.end('{"access_token":"next"}'))
  const refreshToken = { token: 'old', expiresAt: '2999-01-01T00:00:00Z' }
  const accessToken = { token: 'ended', expiresAt: '2020-01-01T00:00:00Z' }
  const stored: OAuth2Credential = { scheme: 'oauth2', accessToken, refreshToken, scopes: ['a'] }
  expect(await renewed(ofProvider('codes', { provider_app_id: mine }), stored)).toEqual({
    scheme: 'oauth2',
    accessToken: { token: 'next', issuedAt: expect.any(String) },
    refreshToken,
    scopes: ['a'],
  })
})

test('a password outlives the refresh token that it gave', async () => {
  const stored: OAuth2Credential = {
    scheme: 'oauth2',
    refreshToken: { token: 'taken-back' },
    grant: { kind: 'password', username: 'ann', password: 'swordfish', scopes: ['offline_access'], ...client },
  }
  const next = await renewed(ofProvider('persons'), stored)
  expect(server.tokenRequests.map(({ parameters }) => parameters['grant_type'])).toEqual(['refresh_token', 'password'])
  expect(next.grant).toEqual(stored.grant)
  server.tokenRequests.length = 0
  await renewed(ofProvider('persons'), next)
  expect(server.tokenRequests.map(({ parameters }) => parameters['grant_type'])).toEqual(['refresh_token'])
})

test.each<[string, RenewedConnection, OAuth2Credential]>([
  ['no_client', ofProvider('unregistered'), { scheme: 'oauth2', refreshToken: { token: 'r' } }],
  ['no_refresh_token', ofProvider('codes'), { scheme: 'oauth2', accessToken: { token: 'a' } }],
  ['unknown_provider', ofProvider('nobody'), { scheme: 'oauth2', refreshToken: { token: 'r' } }],
])('%s: nobody is asked', async (error, connection, stored) => {
  await expect(renewed(connection, stored)).rejects.toMatchObject({ name: 'TokenRefused', error })
  expect(server.tokenRequests).toEqual([])
})
