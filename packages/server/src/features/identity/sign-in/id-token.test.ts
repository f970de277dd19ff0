import { exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { openBrowser } from '../../../testkit/browser.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { clientSecret, type IdentityProvider, startIdentityProvider } from './identity-provider.testkit.ts'

/** What an ID token must be, with a provider of identities that is real but for the token itself. */

const publicUrl = 'https://mortise.example.com'
const person = 'sub-1'
let provider: IdentityProvider
let app: TestApp
beforeAll(async () => {
  provider = await startIdentityProvider(`${publicUrl}/signin/oidc/callback`)
  provider.people.set(person, { email: 'ada@example.com', email_verified: true })
  app = await startTestApp({
    env: {
      MORTISE_ROLES: 'api',
      MORTISE_PUBLIC_URL: publicUrl,
      MORTISE_OIDC_ISSUER: provider.issuer,
      MORTISE_OIDC_CLIENT_ID: 'mortise',
      MORTISE_OIDC_CLIENT_SECRET: clientSecret,
    },
  })
  const { system } = app.testDatabase.database
  await sql`
    insert into invites (id, org_id, invited_email, mailed, created_by, expire_time)
    select ${app.app.services.newId()}, org_id, 'ada@example.com', false, 'builder:x', now() + interval '1 day'
      from projects where name = 'default'`.execute(system)
})
afterAll(async () => {
  await app?.stop()
  await provider?.close()
})
afterEach(() => {
  provider.forge = undefined
  provider.jwks = undefined
})

async function signIn(): Promise<number> {
  const browser = openBrowser(app.url)
  const begun = await browser.get('/signin/oidc')
  expect(begun.status).toBe(303)
  const { status } = await browser.get(await provider.signIn(begun.location!, person))
  expect(browser.cookies.has('__Host-mortise_session')).toBe(status === 303)
  return status
}

const claimsOf = (token: string): JWTPayload => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
const signed = (claims: JWTPayload, { key = provider.key().privateKey, kid = provider.key().kid } = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(key)
const seconds = () => Math.floor(Date.now() / 1_000)

it('a token of the provider signs in, signed anew by its own key too', async () => {
  expect(await signIn()).toBe(303)
  provider.forge = (token) => signed(claimsOf(token))
  expect(await signIn()).toBe(303)
})

it.each<[string, (token: string) => Promise<string>]>([
  [
    'signed with another key',
    async (token) => signed(claimsOf(token), { key: (await generateKeyPair('RS256')).privateKey }),
  ],
  ['of an unknown key id', (token) => signed(claimsOf(token), { kid: 'unknown' })],
  [
    'with other claims than were signed',
    async (token) => {
      const [head, , signature] = token.split('.')
      const payload = Buffer.from(JSON.stringify({ ...claimsOf(token), email: 'owner@example.com' })).toString(
        'base64url',
      )
      return [head, payload, signature].join('.')
    },
  ],
  ['without algorithm', async (token) => new UnsecuredJWT(claimsOf(token)).encode()],
  [
    'signed with the public key as a shared secret',
    async (token) =>
      new SignJWT(claimsOf(token))
        .setProtectedHeader({ alg: 'HS256', kid: provider.key().kid })
        .sign(Buffer.from(await exportSPKI(provider.key().publicKey))),
  ],
  [
    'signed with the client secret',
    async (token) =>
      new SignJWT(claimsOf(token)).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(clientSecret.padEnd(32, ' '))),
  ],
  [
    'issued an hour from now',
    (token) => signed({ ...claimsOf(token), iat: seconds() + 3_600, exp: seconds() + 7_200 }),
  ],
  ['that has expired', (token) => signed({ ...claimsOf(token), iat: seconds() - 7_200, exp: seconds() - 3_600 })],
  ['for another audience', (token) => signed({ ...claimsOf(token), aud: 'another' })],
  [
    'for several audiences, meant for another',
    (token) => signed({ ...claimsOf(token), aud: ['mortise', 'another'], azp: 'another' }),
  ],
  ['of another issuer', (token) => signed({ ...claimsOf(token), iss: 'https://evil.example' })],
  ['of another sign-in', (token) => signed({ ...claimsOf(token), nonce: 'another' })],
  ['that is none', async () => 'nonsense'],
])('a token %s lets nobody in', async (_, forge) => {
  provider.forge = forge
  expect(await signIn()).toBe(502)
})

it('a clock that is a little ahead is no reason to refuse', async () => {
  provider.forge = (token) => signed({ ...claimsOf(token), iat: seconds() + 20 })
  expect(await signIn()).toBe(303)
})

it('new keys of the provider are fetched as they appear', async () => {
  expect(await signIn()).toBe(303)
  const before = provider.key()
  await provider.rotate()
  expect(await signIn()).toBe(303)
  provider.forge = (token) => signed(claimsOf(token), { key: before.privateKey, kid: before.kid })
  expect(await signIn(), 'the key that was withdrawn').toBe(502)
})

it('keys that are too large, or no keys, let nobody in', async () => {
  await provider.rotate()
  provider.jwks = (_, response) => response.end(JSON.stringify({ keys: [], filler: 'x'.repeat(2 * 1024 * 1024) }))
  expect(await signIn()).toBe(502)
  provider.jwks = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Maintenance</h1>')
  expect(await signIn()).toBe(502)
  provider.jwks = (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/keys' }).end()
  expect(await signIn()).toBe(502)
  provider.jwks = undefined
  expect(await signIn(), 'as soon as they are back').toBe(303)
})
