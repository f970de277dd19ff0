import { expect, it } from 'vitest'
import { testCache } from '../testing/test-cache.testkit.ts'
import { type CredentialBlocks, chooseCredential } from './choose-credential.ts'
import type { ProviderEntry } from './entry.ts'
import type { Authentication } from './format/authentication.ts'
import { loadCatalogue } from './load-catalogue.ts'
import { schemeNames, withScheme } from './scheme-names.ts'

const catalogue = await loadCatalogue({ cacheDir: testCache })

const none: Authentication = { scheme: 'none' }
const apiKey: Authentication = { scheme: 'apiKey', attach: 'header', name: 'x' }
const basic: Authentication = { scheme: 'basic' }
const oauth2: Authentication = { scheme: 'oauth2', grantType: 'authorizationCode', tokenUrl: 'https://a.example' }
const pkce: Authentication = { ...oauth2, grantType: 'authorizationCodePKCE' }
const client: Authentication = { ...oauth2, grantType: 'clientCredentials' }
const custom: Authentication = {
  scheme: 'custom',
  headers: { 'X-Token': '{{token}}' },
  inputs: [{ name: 'user' }, { name: 'token' }],
}

const inputs = { user: 'u', token: 't' }
const app = { clientId: 'c', clientSecret: 's' }
const key = { apiKey: 'k' }
const password = { basicAuth: { username: 'u', password: 'p' } }
const token = { oauth2AuthorizationCode: { accessToken: { token: 't' } } }
const scopes = { oauth2AuthorizationCode: { scopes: ['a'] } }

const choose = (schemes: Authentication[], blocks: CredentialBlocks) => {
  const entry = { ...catalogue.find('hubspot'), authentication: schemes } as ProviderEntry
  const choice = chooseCredential(entry, blocks)
  if ('later' in choice) return `later: ${choice.later}`
  return 'takes' in choice ? choice.takes : [choice.authScheme, choice.credential]
}

it.each<[string, Authentication[], CredentialBlocks, unknown]>([
  ['a provider without credentials', [none], {}, ['none', { scheme: 'none' }]],
  ['a key', [apiKey], key, ['apiKey', { scheme: 'apiKey', apiKey: 'k' }]],
  ['user and password', [basic], password, ['basic', { scheme: 'basic', username: 'u', password: 'p' }]],
  [
    'an empty password',
    [basic],
    { basicAuth: { username: 'u', password: '' } },
    ['basic', { scheme: 'basic', username: 'u', password: '' }],
  ],
  ['an access token', [oauth2], token, ['oauth2/authorizationCode', { scheme: 'oauth2', accessToken: 't' }]],
  ['an access token by PKCE', [pkce], token, ['oauth2/authorizationCodePKCE', { scheme: 'oauth2', accessToken: 't' }]],
  [
    'the first declared scheme wins',
    [oauth2, apiKey],
    { ...key, ...token },
    ['oauth2/authorizationCode', { scheme: 'oauth2', accessToken: 't' }],
  ],
  [
    'the first declared scheme wins, the other way',
    [apiKey, oauth2],
    { ...key, ...token },
    ['apiKey', { scheme: 'apiKey', apiKey: 'k' }],
  ],
  [
    'else the first usable in the order of the contract',
    [client, oauth2, basic, apiKey],
    { ...token, ...password, ...key },
    ['apiKey', { scheme: 'apiKey', apiKey: 'k' }],
  ],
  [
    'scopes alone are no credential beside a key',
    [oauth2, apiKey],
    { ...scopes, ...key },
    ['apiKey', { scheme: 'apiKey', apiKey: 'k' }],
  ],
  ['a key where nothing fits is a bearer token', [oauth2], key, ['apiKey', { scheme: 'apiKey', apiKey: 'k' }]],
  ['a key carried by basic', [{ ...basic, apiKeyAsBasic: true }], key, ['apiKey', { scheme: 'apiKey', apiKey: 'k' }]],
  ['nothing given', [oauth2, apiKey], {}, ['oauth2AuthorizationCode {accessToken, refreshToken}', 'apiKey']],
  ['scopes alone', [oauth2], scopes, ['oauth2AuthorizationCode {accessToken, refreshToken}']],
  [
    'a refresh token alone',
    [oauth2],
    { oauth2AuthorizationCode: { refreshToken: { token: 'r' } } },
    ['oauth2/authorizationCode', { scheme: 'oauth2', refreshToken: 'r' }],
  ],
  ['custom inputs', [custom], { customAuth: inputs }, ['apiKey', { scheme: 'custom', values: inputs }]],
  ['custom inputs that lack one', [custom], { customAuth: { user: 'u' } }, ['customAuth {user, token}']],
  ['no custom inputs', [custom], { customAuth: {} }, ['customAuth {user, token}']],
  ['custom inputs that get a token first', [{ ...custom, headers: {} }], { customAuth: inputs }, 'later: customAuth'],
  [
    'custom inputs of a conversation',
    [{ ...custom, multiStep: true }],
    { customAuth: inputs },
    ['customAuth {user, token} by POST /custom-auth/connect'],
  ],
  [
    'client credentials',
    [client],
    { oauth2ClientCredentials: app },
    ['oauth2/clientCredentials', { scheme: 'oauth2', grant: 'clientCredentials' }],
  ],
  [
    'a public client',
    [client],
    { oauth2ClientCredentials: { clientId: 'c', clientSecret: '' } },
    ['oauth2/clientCredentials', { scheme: 'oauth2', grant: 'clientCredentials' }],
  ],
  [
    'client credentials without a client',
    [client],
    { oauth2ClientCredentials: { clientId: '', clientSecret: 's' } },
    ['oauth2ClientCredentials {clientId, clientSecret, scopes}'],
  ],
  [
    'a password grant',
    [{ ...oauth2, grantType: 'password' }],
    { oauth2PasswordCredentials: { ...app, username: 'u', password: 'p' } },
    ['oauth2/password', { scheme: 'oauth2', grant: 'password' }],
  ],
  [
    'client credentials before what is declared after them',
    [client, basic],
    { oauth2ClientCredentials: app, ...password },
    ['oauth2/clientCredentials', { scheme: 'oauth2', grant: 'clientCredentials' }],
  ],
  [
    'client credentials that the provider does not take',
    [oauth2],
    { oauth2ClientCredentials: app },
    ['oauth2AuthorizationCode {accessToken, refreshToken}'],
  ],
  ['an empty key', [apiKey], { apiKey: '' }, ['apiKey']],
  ['another block than it takes', [apiKey], password, ['apiKey']],
])('%s', (_, schemes, blocks, expected) => {
  expect(choose(schemes, blocks)).toEqual(expected)
})

it('every provider of the catalogue says what it takes, or takes nothing', () => {
  for (const entry of catalogue.list()) {
    const choice = chooseCredential(entry, {})
    if (entry.authentication.some(({ scheme }) => scheme === 'none')) {
      expect(choice).toEqual({ authScheme: 'none', credential: { scheme: 'none' }, schemeName: 'none' })
      continue
    }
    if (!('takes' in choice)) throw new Error(`${entry.name} takes nothing`)
    expect(choice.takes.length).toBeGreaterThan(0)
  }
})

it('the inputs that customAuth lacks are named', () => {
  const entry = { ...catalogue.find('hubspot'), authentication: [custom] } as ProviderEntry
  const choice = chooseCredential(entry, { customAuth: { user: 'u', token: '' } })
  expect(choice).toMatchObject({ missing: [{ name: 'token' }] })
})

it('the scheme that is asked for counts alone, also for a key that would be a bearer token', () => {
  const second: Authentication = { ...apiKey, schemeName: 'second' }
  const entry = { ...catalogue.find('hubspot'), authentication: [oauth2, apiKey, second] } as ProviderEntry
  expect(chooseCredential(entry, { ...key, ...token })).toMatchObject({ schemeName: 'oauth2' })
  expect(chooseCredential(entry, { ...key, ...token }, 'second')).toMatchObject({ schemeName: 'second' })
  expect(chooseCredential(entry, key, 'oauth2')).toHaveProperty('takes')
  const bearer = { ...entry, authentication: [oauth2] } as ProviderEntry
  expect(chooseCredential(bearer, key)).not.toHaveProperty('schemeName')
})

it('an entry with one scheme is the same object each time, and reads objects as the whole one does', () => {
  const entry = catalogue.find('hubspot') as ProviderEntry
  expect(schemeNames(entry)).toEqual(['oauth2', 'apiKey'])
  const narrowed = withScheme(entry, 'apiKey')
  expect(narrowed).toBe(withScheme(entry, 'apiKey'))
  expect(narrowed?.authentication).toEqual([entry.authentication[1]])
  expect(narrowed?.file).toBe(entry.file)
  expect(withScheme(entry, 'nothing')).toBeUndefined()
})
