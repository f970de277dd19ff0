import { afterAll, beforeAll, expect, it } from 'vitest'
import { entryOf } from '../testing/provider.testkit.ts'
import { signInCases } from './sign-in-cases.ts'
import { type StandInServer, startStandIns } from './stand-in/server.ts'

/** The cases of sign-ins find what they look for: a client that follows another file than the stand-in. */
let server: StandInServer

beforeAll(async () => {
  server = await startStandIns()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

/** A login form with a token in its page, a redirect after the right password, and cookies. */
const form = `name: test
baseUrl: https://erp.example.com/api
headers: { X-Version: '2' }
authentication:
  - scheme: custom
    inputs: [{ name: user }, { name: password }]
    headers: { X-XSRF-Token: '{{xsrf}}' }
    form: { csrf: '{{xsrf}}' }
    token:
      cookies: true
      steps:
        - request: { url: 'https://login.example.com/login', query: { tenant: '{{user}}' } }
          take: { formToken: { capture: 'name="csrf" value="(?<result>[^"]+)"' } }
      request:
        method: POST
        url: https://login.example.com/login
        form: { user: '{{user}}', password: '{{password}}', csrf: '{{formToken}}' }
      success: { status: 302, headers: { Location: { matches: '/home$' } } }
      take: { xsrf: { cookie: XSRF-TOKEN } }
errors:
  rules:
    - { status: 302, headers: { Location: { matches: '/login$' } }, is: auth_invalidated }
`

/** A consent, a request with it, and tokens by a signed assertion. */
const assertion = `name: test
baseUrl: https://api.example.com
authentication:
  - scheme: custom
    multiStep: true
    inputs: [{ name: account, kind: json }, { name: scopes, kind: list }]
    appInputs: [{ name: clientId }, { name: clientSecret }]
    headers: { Authorization: 'Token {{both}}' }
    steps:
      - redirect:
          url: https://example.com/consent
          query: { client: '{{clientId}}', back: '{{redirectUri}}', state: '{{state}}' }
          expect: { admin: 'yes' }
          take: { tenant: org }
      - request:
          { method: POST, url: 'https://example.com/{{tenant}}/link', json: { tenant: '{{tenant}}' }, basic: '{{clientId}}:{{clientSecret}}' }
        take: { link: data.link }
        success: { when: { ok: true } }
    token:
      assertion:
        algorithm: ES256
        key: '{{account.private_key}}'
        keyId: '{{account.key}}'
        claims: { iss: '{{account.mail}}', aud: [https://example.com, '{{tenant}}'], scope: '{{scopes}}' }
        lifetimeSeconds: 60
      request:
        method: POST
        url: https://example.com/token
        headers: { X-Assertion: '{{assertion}}', X-Link: '{{link}}' }
      take: { token: [a.token, token] }
      make: { both: '{{link}}:{{token}}' }
      expiresIn: a.seconds
`

async function faultsOf(text: string, declared = text): Promise<string[]> {
  const cases = await signInCases(entryOf(text), entryOf(declared), server)
  return cases.flatMap(({ name, faults, because }) =>
    [...faults, ...(because === undefined ? [] : [`not tried: ${because}`])].map((fault) => `${name}: ${fault}`),
  )
}

it.each([
  ['a form', form],
  ['a consent and an assertion', assertion],
])('%s signs in, and everything that is no sign-in fails', async (_, text) => {
  expect(await faultsOf(text)).toEqual([])
})

it('each way in which a sign-in can fail is tried', async () => {
  const names = async (text: string) =>
    (await signInCases(entryOf(text), entryOf(text), server)).map(({ name }) => name)
  expect(await names(form)).toEqual([
    ...['success', 'wrong user', 'wrong user without a status', 'wrong password', 'wrong password without a status'],
    ...['html 1', 'no formToken 1', '503 1', '429 1', 'html 2', 'no xsrf 2', '503 2', '429 2', 'no success 2'],
    ...['ended 401', 'ended 302 /login'],
    ...['cookie attributes', 'cookies none', 'cookies ended', 'cookies foreign'],
  ])
  expect(await names(assertion)).toEqual(
    expect.arrayContaining([
      'other state',
      'error',
      'no admin',
      'other admin',
      'no org',
      'wrong account',
      'wrong scopes',
    ]),
  )
})

it.each([
  ['another page', form, "login', query", "log', query", 'success: refused: GET /log: address'],
  ['another parameter', form, 'tenant:', 'org:', 'success: refused: GET /login: query org='],
  ['another field', form, 'password: ', 'pass: ', 'success: refused: POST /login: body'],
  ['another token', form, 'name="csrf" value', 'name="token" value', 'success: fails: CustomAuthRefused'],
  [
    'another status',
    form,
    "status: 302, headers: { Location: { matches: '/home",
    "status: 303, headers: { Location: { matches: '/home",
    'success: fails:',
  ],
  ['another cookie', form, 'cookie: XSRF-TOKEN', 'cookie: CSRF', 'success: fails: CustomAuthRefused'],
  ['another header', form, 'X-XSRF-Token', 'X-CSRF', 'ended 401: refused: the credential is not in the header'],
  ['another end of the session', form, '/login$', '/log$', 'ended 302 /login: the request after the end'],
  ['another fixed header', form, "'2'", "'3'", 'ended 401: refused: POST /api/session: header x-version'],
  ['another consent', assertion, 'com/consent', 'com/admin', 'success: redirects to https://example.com/admin'],
  ['another confirmation', assertion, "{ admin: 'yes' }", "{ admin: 'no' }", 'success: fails: CustomAuthRefused'],
  ['another parameter of it', assertion, 'tenant: org', 'tenant: id', 'success: fails: CustomAuthRefused'],
  ['no success', assertion, 'ok: true', 'ok: false', 'success: fails: CustomAuthRefused'],
  [
    'another user',
    assertion,
    "'{{clientId}}:",
    "'{{clientSecret}}:",
    'success: refused: POST /its%20tenant%2F1/link: header authorization',
  ],
  [
    'another claim',
    assertion,
    'iss:',
    'sub:',
    'success: refused: POST /token: header x-assertion: an assertion with {"sub"',
  ],
  ['another key id', assertion, 'keyId: ', '# keyId: ', 'an assertion with {"alg":"ES256","typ":"JWT"}, declared'],
  ['another lifetime', assertion, 'Seconds: 60', 'Seconds: 61', 'success: refused: POST /token: header x-assertion'],
  ['another location of the token', assertion, '[a.token, token]', 'token', 'ended 401: fails: CustomAuthRefused'],
  ['no end of the token', assertion, 'a.seconds', 'a.s', 'success: the token ends at undefined'],
])('it finds that there is %s', async (_, text, part, instead, fault) => {
  expect(text).toContain(part)
  expect(await faultsOf(text.replace(part, instead), text)).toContainEqual(expect.stringContaining(fault))
})

it('a file that requests no token fails at a stand-in that expects one', async () => {
  const other = `name: test
baseUrl: https://erp.example.com/api
authentication: [{ scheme: custom, inputs: [{ name: user }], headers: { X-User: '{{user}}' } }]
`
  expect(await faultsOf(other, form)).toContainEqual('success: 0 of 2 requests')
})

it('what the stand-in cannot serve is no fault', async () => {
  const cases = await signInCases(entryOf(form), entryOf(form.replace('erp.example.com', 'erp.example.net')), server)
  expect(cases.filter(({ because }) => because !== 'the hosts of the sign-in and of the API share no domain')).toEqual(
    [],
  )
})
