import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Browser, openBrowser } from '../../../testkit/browser.ts'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'
import { firstOwnerLink } from './index.ts'
import { sessionDays } from './sessions.ts'

const email = 'ada@example.com'
const password = 'correct horse battery'
let app: TestApp
let browser: Browser

beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  const { database, keyring, publicUrl } = app.app.services
  const link = (await firstOwnerLink({ database, keyring, publicUrl }))?.reveal() ?? ''
  const owner = openBrowser(app.url)
  const made = await owner.submit(await owner.get(new URL(link).pathname + new URL(link).search), { email, password })
  expect([made.status, made.location], 'the first owner ends in the console').toEqual([303, '/console'])
})
afterAll(() => app?.stop())
beforeEach(async () => {
  browser = openBrowser(app.url)
  await browser.submit(await browser.get('/signin'), { email, password })
})

const fromConsole = { 'sec-fetch-site': 'same-origin', 'x-mortise-console': '1' }
const cookies = () => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

async function send(path: string, headers: Record<string, string> = fromConsole, url = app.url, cookie = cookies()) {
  const answer = await fetch(url + path, { method: 'POST', headers: { ...(cookie && { cookie }), ...headers } })
  const text = await answer.text()
  const body = text === '' ? undefined : (JSON.parse(text) as Record<string, string>)
  return { status: answer.status, headers: answer.headers, body, code: body?.['href']?.split('/').at(-1) }
}

/** The status that a token gets. */
async function asToken(token: string | undefined, url = app.url): Promise<number> {
  return (await fetch(`${url}/v1/my-info`, { headers: { authorization: `Bearer ${token}` } })).status
}

describe('the token of the console', () => {
  it('is made of the session of the browser, and says who is signed in', async () => {
    const { status, headers, body } = await send('/console/token')
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(headers.getSetCookie()).toEqual([])
    expect(body).toEqual({
      accessToken: expect.stringMatching(/^eyJ/),
      expiresAt: expect.stringMatching(/^\d{4}-/),
      builderId: expect.any(String),
      email,
    })
    expect(await asToken(body?.['accessToken'])).toBe(200)
  })

  it.each([
    ['without the header', { 'sec-fetch-site': 'same-origin' }],
    ['with another value', { ...fromConsole, 'x-mortise-console': 'true' }],
    ['from another site', { ...fromConsole, 'sec-fetch-site': 'cross-site' }],
    ['from another host of the same site', { ...fromConsole, 'sec-fetch-site': 'same-site' }],
    ['from another origin', { 'x-mortise-console': '1', origin: 'https://evil.example' }],
    ['from no origin', { 'x-mortise-console': '1', origin: 'null' }],
  ] as [string, Record<string, string>][])('is refused %s, and so is signing out', async (_, headers) => {
    for (const path of ['/console/token', '/console/signout']) {
      const { status, body, code } = await send(path, headers)
      expect([path, status, code]).toEqual([path, 403, 'forbidden'])
      expect(body).not.toHaveProperty('accessToken')
    }
    expect((await browser.get('/signin/done')).status, 'the session goes on').toBe(200)
  })

  it('needs the cookie of a session that lasts', async () => {
    expect((await send('/console/token', fromConsole, app.url, '')).code).toBe('session-ended')
    const cookie = cookies()
    await browser.submit(await browser.get('/signin/done'), {}, { action: '/signin/out' })
    const ended = await send('/console/token', fromConsole, app.url, cookie)
    expect([ended.status, ended.code]).toEqual([401, 'session-ended'])
  })

  it('is not made of the session of a program', async () => {
    const session = await app.call<{ refreshToken: string }>('POST', '/sessions', { email, password }, { apiKey: null })
    const { status, code } = await send(
      '/console/token',
      fromConsole,
      app.url,
      `mortise_session=${session.body.refreshToken}`,
    )
    expect([status, code]).toEqual([401, 'session-ended'])
  })

  it('is not made after the session has expired', async () => {
    const before = app.clock.now()
    app.clock.advance(sessionDays * 86_400_000)
    try {
      expect((await send('/console/token')).code).toBe('session-ended')
    } finally {
      app.clock.set(before)
    }
  })
})

describe('signing out of the console', () => {
  it('clears the cookie, and ends the session with its tokens', async () => {
    const token = (await send('/console/token')).body?.['accessToken']
    const { status, headers } = await send('/console/signout')
    expect(status).toBe(204)
    expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^mortise_session=; .*Max-Age=0/)])
    expect(await asToken(token)).toBe(401)
    expect((await send('/console/token')).code).toBe('session-ended')
    expect((await send('/console/signout')).status, 'a second time').toBe(204)
  })

  it('holds for other nodes', async () => {
    const node = await startTestNode(app, { MORTISE_ROLES: 'api' })
    try {
      await send('/console/signout')
      expect((await send('/console/token', fromConsole, node.url)).code).toBe('session-ended')
    } finally {
      await node.stop()
    }
  })

  it('leaves an entry in the audit log of the organization', async () => {
    const { headers } = await signInBuilder(app, { email: 'grace@example.com', role: 'owner', password })
    browser = openBrowser(app.url)
    await browser.submit(await browser.get('/signin'), { email: 'grace@example.com', password })
    await send('/console/signout')
    const { system } = app.testDatabase.database
    const { org_id } = await system
      .selectFrom('projects')
      .select('org_id')
      .where('name', '=', 'default')
      .executeTakeFirstOrThrow()
    const { body } = await app.call<unknown>('GET', `/orgs/${org_id}/audit-log`, undefined, { apiKey: null, headers })
    expect(JSON.stringify(body)).toContain('signOut')
  })
})

describe('a sign-in', () => {
  it.each([
    ['/console/projects/default/installations?status=failing&q=a%20b', undefined],
    [
      '/console/projects/default/operations?from=2026-01-01T00:00:00Z#top',
      '/console/projects/default/operations?from=2026-01-01T00:00:00Z',
    ],
  ])('goes on at %s', async (next, to) => {
    const page = await openBrowser(app.url).get(`/signin?next=${encodeURIComponent(next)}`)
    browser = openBrowser(app.url)
    const fresh = await browser.get(`/signin?next=${encodeURIComponent(next)}`)
    expect((await browser.submit(fresh, { email, password })).location).toBe(to ?? next)
    expect((await browser.get(`/signin?next=${encodeURIComponent(next)}`)).location).toBe(to ?? next)
    expect(page.status).toBe(200)
  })
})
