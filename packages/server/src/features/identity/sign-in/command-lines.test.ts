import { hash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Browser, openBrowser, type Shown } from '../../../testkit/browser.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'
import type { SessionTokens } from './model.ts'
import { newSecret } from './sessions.ts'

const password = 'correct horse battery'
let app: TestApp
let builderId: string
let browser: Browser
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  ;({ builderId } = await signInBuilder(app, { email: 'ada@example.com', role: 'owner', password }))
})
afterAll(() => app?.stop())
beforeEach(() => {
  browser = openBrowser(app.url)
})

/** What a person does who is sent to a page and is not signed in yet. */
async function context(path: string): Promise<Shown> {
  const sent = await browser.get(path)
  expect(sent.status).toBe(303)
  const signedIn = await browser.submit(await browser.get(sent.location!), { email: 'ada@example.com', password })
  expect(signedIn.location).toBe(path)
  return await browser.get(path)
}

const listProjects = async (token: string) =>
  (await app.call('GET', '/projects', undefined, { apiKey: null, headers: { authorization: `Bearer ${token}` } }))
    .status

describe('our command line', () => {
  const verifier = newSecret()
  const challenge = hash('sha256', verifier, 'base64url')
  const state = newSecret()
  const ask = (change: Record<string, string> = {}) =>
    `/signin/cli?${new URLSearchParams({ port: '51234', challenge, state, ...change })}`

  it('is signed in by a browser on the same computer', async () => {
    const seen: string[] = []
    const waiting: Server = createServer((request, response) => {
      seen.push(request.url ?? '')
      response.end('You can close this page.')
    })
    await new Promise<void>((resolve) => waiting.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = waiting.address() as AddressInfo
      const page = await context(ask({ port: String(port) }))
      expect(page.text).toContain(`<code>127.0.0.1:${port}</code>`)
      expect(page.text).toContain('<strong>mortise</strong>')
      expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' http://127.0.0.1:${port};`)
      const sent = await browser.submit(page)
      await fetch(sent.location!)
      const callback = new URL(seen[0]!, 'http://127.0.0.1')
      expect([callback.pathname, callback.searchParams.get('state')]).toEqual(['/callback', state])
      const answer = await app.call<SessionTokens>(
        'POST',
        '/sessions:exchange',
        { code: callback.searchParams.get('code'), verifier },
        { apiKey: null },
      )
      expect(answer.status).toBe(200)
      expect(await listProjects(answer.body.accessToken)).toBe(200)
    } finally {
      await new Promise((resolve) => waiting.close(resolve))
    }
  })

  it('gets nothing before the person has agreed, nor from another site', async () => {
    const page = await context(ask())
    const { system } = app.testDatabase.database
    const codes = async () => (await sql`select from sign_in_codes`.execute(system)).rows.length
    const before = await codes()
    await browser.get(ask())
    const headers = { origin: 'https://evil.example' }
    expect((await browser.submit(page, {}, { headers })).status).toBe(403)
    expect(await codes()).toBe(before)
  })

  it('that asks otherwise is refused, at the page and at the form', async () => {
    const page = await context(ask())
    const ports = ['0', '65536', '80@evil.example', '80/../x', '', '0x50', '080']
    const states = ['short', 'with space and more', '"><script>alert(1)</script>', 'x'.repeat(201)]
    for (const change of [
      ...ports.map((port) => ({ port })),
      ...states.map((text) => ({ state: text })),
      { challenge: 'short' },
      { challenge: `${challenge}=` },
    ]) {
      const statuses = [(await browser.get(ask(change))).status, (await browser.submit(page, change)).status]
      expect([change, ...statuses]).toEqual([change, 400, 400])
    }
  })
})

describe('the existing command line', () => {
  interface Client {
    response: { sessions: { id: string; last_active_token: { jwt: string } }[] }
  }
  interface Handed {
    userId: string
    sessionId: string
    token: string
    cookies: Record<string, string>
  }

  /** As that command line does it: it reads `p`, keeps the cookies, and looks at `/v1/client` before every command. */
  async function login(): Promise<Handed> {
    const page = await context('/signin/amp-cli')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://localhost:3535;")
    const { location } = await browser.submit(page)
    const done = new URL(location!)
    expect(done.origin + done.pathname).toBe('http://localhost:3535/done')
    const p = done.searchParams.get('p')!
    expect(p).toMatch(/^[A-Za-z0-9+/]+=*$/)
    return JSON.parse(Buffer.from(p, 'base64').toString()) as Handed
  }
  const client = async (query: string, cookies: Record<string, string> = {}): Promise<Client> => {
    const cookie = Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')
    const answer = await fetch(`${app.url}/v1/client?_clerk_js_version=4.50.1${query}`, { headers: { cookie } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    return (await answer.json()) as Client
  }

  it('is handed a session, and gets a fresh token for it with its cookies', async () => {
    const handed = await login()
    expect(handed).toEqual({
      userId: builderId,
      sessionId: expect.any(String),
      token: expect.any(String),
      cookies: { __client: handed.token },
    })
    const { response } = await client('', handed.cookies)
    const { jwt } = response.sessions[0]!.last_active_token
    expect(decodeJwt(jwt)).toMatchObject({ email: 'ada@example.com', sub: builderId, sid: handed.sessionId })
    expect(await listProjects(jwt)).toBe(200)
  })

  it('gets one by the query of its other stages too', async () => {
    const { token } = await login()
    const { response } = await client(`&__dev_session=${token}`)
    expect(await listProjects(response.sessions[0]!.last_active_token.jwt)).toBe(200)
  })

  it('is told of no session once it has ended, is too old or never was', async () => {
    const { cookies, sessionId } = await login()
    const { response } = await client('', cookies)
    const { jwt } = response.sessions[0]!.last_active_token
    const headers = { authorization: `Bearer ${jwt}` }
    expect((await app.call('DELETE', '/sessions/current', undefined, { apiKey: null, headers })).status).toBe(204)
    const none = { response: { sessions: [] } }
    expect(sessionId).toMatch(/^[0-9a-f-]{36}$/)
    expect(await client('', cookies)).toEqual(none)
    expect(await client('')).toEqual(none)
    expect(await client(`&__dev_session=${newSecret()}`)).toEqual(none)
    browser = openBrowser(app.url)
    const later = await login()
    app.clock.advance(30 * 86_400_000 + 1)
    expect(await client('', later.cookies)).toEqual(none)
  })

  it('holds no refresh token: its own refreshes nothing', async () => {
    const { token } = await login()
    const answer = await app.call('POST', '/sessions:refresh', { refreshToken: token }, { apiKey: null })
    expect(answer.status).toBe(401)
  })

  it('shares the way to a token with the pages of this browser', async () => {
    await context('/signin/amp-cli')
    const { response } = await client('', Object.fromEntries(browser.cookies))
    expect(await listProjects(response.sessions[0]!.last_active_token.jwt)).toBe(200)
  })
})
