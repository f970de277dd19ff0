import { generateKeyPairSync } from 'node:crypto'
import { jwtVerify } from 'jose'
import { expect, it } from 'vitest'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import type { ProviderHttpRequest } from '../connector.ts'
import { attachCredential } from '../interpreter/auth.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { mintToken } from './mint-token.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const now = Date.parse('2026-03-01T12:00:00Z')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const serviceAccountKey = base64(JSON.stringify({ client_email: 'r@a.example', private_key_id: 'k', private_key: pem }))
const key = { clientId: 'c-1', username: 'ada', certificateId: 'cert-1', privateKey: base64(pem) }
const google = 'https://oauth2.googleapis.com/token'
const netsuite = 'https://acme.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token'

/** Each as its documentation says: where the token is asked for, and what the assertion claims. */
it.each([
  [
    'bigquery',
    { serviceAccountKey },
    google,
    { iss: 'r@a.example', aud: google, scope: expect.stringContaining('bigquery') },
  ],
  [
    'googleWorkspaceDelegation',
    { serviceAccountKey, scopes: ['s1', 's2'] },
    google,
    { sub: 'ada@a.example', scope: 's1 s2' },
  ],
  [
    'salesforceJWT',
    key,
    'https://acme.my.salesforce.com/services/oauth2/token',
    { iss: 'c-1', sub: 'ada', aud: 'https://login.salesforce.com' },
  ],
  ['netsuiteM2M', key, netsuite, { iss: 'c-1', aud: netsuite, scope: 'restlets,rest_webservices' }],
  ['microsoftAdminConsent', { tenant: 'a/b' }, 'https://login.microsoftonline.com/a%2Fb/oauth2/v2.0/token', undefined],
  [
    'redtail',
    { apiKey: 'k', username: 'u', password: 'p' },
    'https://crm.redtailtechnology.com/api/public/v1/authentication',
    undefined,
  ],
] as const)('%s', async (name, values, url, claims) => {
  const entry = (await loadCatalogue({ cacheDir: testCache })).find(name)!
  const asked: ProviderHttpRequest[] = []
  const http = async (request: ProviderHttpRequest) => {
    asked.push(request)
    return { status: 200, headers: {}, body: '{"access_token":"t-1","expires_in":60,"UserKey":"uk"}' }
  }
  const metadata = { workspace: 'acme', userEmail: 'ada@a.example' }
  const app = { clientId: 'app', clientSecret: 'shh' }
  const minted = await mintToken(entry, { metadata, app, values }, { http, now: () => now })
  expect(asked.map((request) => request.url)).toEqual([url])
  const form = new URLSearchParams(asked[0]?.body)
  const assertion = form.get('assertion') ?? form.get('client_assertion')
  if (claims !== undefined) {
    const { payload } = await jwtVerify(assertion ?? '', publicKey, { currentDate: new Date(now) })
    expect(payload).toMatchObject(claims)
  } else expect(assertion).toBeNull()
  if (name === 'redtail') expect(asked[0]?.headers['authorization']).toBe(`Basic ${base64('k:u:p')}`)
  const { headers } = attachCredential(entry.authentication, {
    scheme: 'custom',
    values: { ...values, ...minted?.taken },
  })
  expect(headers['authorization']).toBe(name === 'redtail' ? `Userkeyauth ${base64('k:uk')}` : 'Bearer t-1')
})

it('the assertion for a sandbox of Salesforce names its login server', async () => {
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('salesforceJWT')!
  let assertion = ''
  const http = async ({ body }: ProviderHttpRequest) => {
    assertion = new URLSearchParams(body).get('assertion') ?? ''
    return { status: 200, headers: {}, body: '{"access_token":"t-1"}' }
  }
  const metadata = { workspace: 'acme--test.sandbox', audience: 'https://test.salesforce.com' }
  await mintToken(entry, { metadata, app: {}, values: key }, { http, now: () => now })
  const { payload } = await jwtVerify(assertion, publicKey, { currentDate: new Date(now) })
  expect(payload.aud).toBe('https://test.salesforce.com')
})
