import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { LiveCredential } from '../connector.ts'
import { checkHealth, createConnector } from '../index.ts'
import { attachCredential } from '../interpreter/auth.ts'
import {
  type Answer,
  plainHttp,
  type SeenRequest,
  startServer,
  type TestServer,
} from '../testing/http-server.testkit.ts'
import { entryOf } from '../testing/provider.testkit.ts'
import { mintToken } from './mint-token.ts'

/** A provider with a login form: a token in the page, a redirect after the right password, cookies for the rest. */
const file = `
name: formLogin
baseUrl: '{{server}}/api'
inputs: [{ name: server, kind: url }]
authentication:
  - scheme: custom
    inputs: [{ name: user }, { name: password }]
    headers: { X-XSRF-Token: '{{xsrf}}' }
    form: { csrf: '{{xsrf}}' }
    query: { strict: '1' }
    token:
      cookies: true
      steps:
        - request: { url: '{{server}}/login' }
          take: { formToken: { capture: 'name="csrf" value="(?<result>[^"]+)"' } }
      request:
        method: POST
        url: '{{server}}/login'
        form: { user: '{{user}}', password: '{{password}}', csrf: '{{formToken}}' }
      success: { status: 302, headers: { Location: { matches: '/home$' } } }
      take: { xsrf: { cookie: XSRF } }
healthCheck: { path: /me }
errors:
  rules:
    - { status: 302, headers: { Location: { matches: '/login$' } }, is: auth_invalidated }
objects:
  things:
    read: { path: /things, records: data }
    write: { encoding: form, create: { path: /things } }
`
const entry = entryOf(file)
const password = 'correct horse battery'
const form = '<form><input name="csrf" value="form-token-1"></form>'

let server: TestServer
/** The answer to a sign-in with the right password; a test may put its own. */
let signedIn: () => Answer
let sessions = 0

function answer({ method, url, headers, body }: SeenRequest): Answer {
  if (url.pathname === '/login' && method === 'GET')
    return { headers: { 'set-cookie': 'pre=pre-login-1; Path=/login; HttpOnly' }, body: form }
  if (url.pathname === '/login') {
    const sent = new URLSearchParams(body)
    const isKnown = headers['cookie'] === 'pre=pre-login-1' && sent.get('csrf') === 'form-token-1'
    if (!isKnown || sent.get('password') !== password)
      return { headers: { 'set-cookie': 'pre=pre-login-2; Path=/login' }, body: form }
    return signedIn()
  }
  if (headers['cookie'] !== `sid=session-${sessions}; XSRF=xsrf-token-${sessions}`)
    return { status: 302, headers: { location: '/login' } }
  if (method === 'POST') return { status: 201, body: { id: 7 } }
  return { body: { data: [{ id: 1 }] } }
}

beforeAll(async () => {
  server = await startServer(answer)
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  server.seen.length = 0
  sessions = 0
  signedIn = () => {
    sessions++
    const cookies = [`sid=session-${sessions}; Path=/; HttpOnly`, `XSRF=xsrf-token-${sessions}; Path=/`]
    return { status: 302, headers: { location: '/home', 'set-cookie': cookies } }
  }
})

const signIn = (given: Record<string, string> = {}) =>
  mintToken(
    entry,
    { metadata: { server: server.origin }, values: { user: 'ada', password, ...given } },
    { http: plainHttp(fetch), now: () => 0 },
  )

/** A connection that signs in when the session is refused, as the service does. */
async function connect() {
  const state = { generation: 0, minted: await signIn() }
  const credential: LiveCredential = {
    async authenticate() {
      const { taken = {}, cookies = '' } = state.minted ?? {}
      const attached = attachCredential(entry.authentication, { scheme: 'custom', values: taken, cookies })
      return { ...attached, generation: state.generation }
    },
    async refused(generation) {
      if (generation === state.generation) {
        state.generation++
        state.minted = await signIn()
      }
      return true
    },
  }
  const connection = { metadata: { server: server.origin }, credential }
  return { connection, connector: createConnector(entry, connection, plainHttp(fetch)) }
}

it('a form signs in, and reads, writes and health checks carry its cookies and its token', async () => {
  const { connection, connector } = await connect()
  server.seen.length = 0
  await checkHealth(entry, connection, plainHttp(fetch))
  const { records } = await connector.readPage({ object: 'things', fields: 'all' })
  expect(records.map(({ id }) => id)).toEqual(['1'])
  await connector.write({ object: 'things', type: 'create', record: { name: 'a' } })
  expect(server.seen.map(({ url }) => url.pathname + url.search)).toEqual([
    '/api/me?strict=1',
    '/api/things?strict=1',
    '/api/things?strict=1',
  ])
  for (const { headers } of server.seen)
    expect(headers).toMatchObject({ cookie: 'sid=session-1; XSRF=xsrf-token-1', 'x-xsrf-token': 'xsrf-token-1' })
  expect(server.seen[2]?.body).toBe('name=a&csrf=xsrf-token-1')
})

it('a session that the provider has ended signs in once more, and the write carries the new token', async () => {
  const { connector } = await connect()
  sessions = 5
  await connector.write({ object: 'things', type: 'create', record: { name: 'a' } })
  expect(server.seen.filter(({ url }) => url.pathname === '/login')).toHaveLength(4)
  expect(server.seen.at(-1)?.body).toBe('name=a&csrf=xsrf-token-6')
})

it('no message repeats a cookie; a literal that every request carries is no secret', async () => {
  const minted = await signIn()
  const { taken = {}, cookies = '' } = minted ?? {}
  const { secrets, cookieFor } = attachCredential(entry.authentication, { scheme: 'custom', values: taken, cookies })
  expect(secrets).toEqual(expect.arrayContaining(['session-1', 'xsrf-token-1']))
  expect(secrets).not.toContain('1')
  expect(cookieFor?.('https://elsewhere.test/')).toBeUndefined()
})

it('a wrong password is refused, though the response is a page with status 200 and a cookie', async () => {
  await expect(signIn({ password: 'a wrong password' })).rejects.toMatchObject({
    name: 'CustomAuthRefused',
    message: expect.not.stringContaining('a wrong password'),
  })
  expect(sessions).toBe(0)
})

it.each<[string, Answer, string]>([
  ['a redirect elsewhere', { status: 302, headers: { location: '/blocked' } }, 'CustomAuthRefused'],
  ['a redirect without an address', { status: 302 }, 'CustomAuthRefused'],
  ['no cookie', { status: 302, headers: { location: '/home' } }, 'CustomAuthRefused'],
  [
    'cookies of another host alone',
    { status: 302, headers: { location: '/home', 'set-cookie': 'XSRF=1; Domain=evil.test' } },
    'CustomAuthRefused',
  ],
  [
    'hundreds of cookies',
    { status: 302, headers: { location: '/home', 'set-cookie': Array.from({ length: 300 }, (_, at) => `c${at}=1`) } },
    'CustomAuthRefused',
  ],
  ['an empty success', { status: 200, body: '' }, 'CustomAuthRefused'],
  ['an error of the server', { status: 503, body: '<html>busy</html>' }, 'CustomAuthUnavailable'],
])('a sign-in that is none ends as one: %s', async (_, given, name) => {
  signedIn = () => given
  await expect(signIn()).rejects.toMatchObject({ name })
})

it.each([
  ["success: { status: 302, headers: { Location: { matches: '/home$' } } }", '', 'needs "success"'],
  ['cookies: true', 'cookies: false', 'needs "cookies: true"'],
  ["X-XSRF-Token: '{{xsrf}}'", "Cookie: '{{xsrf}}'", 'contain Cookie'],
  ["csrf: '{{formToken}}'", "csrf: '{{xsrf}}'", 'uses the variable "xsrf"'],
  ["form: { csrf: '{{xsrf}}' }", "form: { csrf: '{{other}}' }", 'uses the variable "other"'],
])('a file that could not work is refused: %s', (before, after, why) => {
  expect(file).toContain(before)
  expect(() => entryOf(file.replace(before, after))).toThrow(why)
})
