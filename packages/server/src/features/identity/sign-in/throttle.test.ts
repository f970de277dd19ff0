import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Browser, openBrowser } from '../../../testkit/browser.ts'
import { readable, startSmtp, type TestSmtp } from '../../../testkit/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'

const password = 'correct horse battery'
const home = '198.51.100.7'
let smtp: TestSmtp
let app: TestApp
let email: string
let token: string
let accounts = 0
beforeAll(async () => {
  smtp = await startSmtp()
  app = await startTestApp({
    env: { MORTISE_TRUSTED_PROXIES: '127.0.0.1', MORTISE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}` },
  })
})
afterAll(async () => {
  await app?.stop()
  await smtp?.close()
})
beforeEach(async () => {
  email = `ada-${++accounts}@example.com`
  ;({ token } = await signInBuilder(app, { email, password }))
  await sql`delete from sign_in_attempts`.execute(app.testDatabase.database.system)
})

const session = async (from: string, secret = password, who = email) =>
  (
    await app.call(
      'POST',
      '/sessions',
      { email: who, password: secret },
      { apiKey: null, headers: { 'x-forwarded-for': from } },
    )
  ).status
const inBrowser = async (browser: Browser, from: string, secret = password) => {
  const headers = { 'x-forwarded-for': from }
  return (await browser.submit(await browser.get('/signin'), { email, password: secret }, { headers })).status
}
/** A browser that signed in once and whose session has ended since. */
const knownBrowser = async (from: string) => {
  const browser = openBrowser(app.url)
  expect(await inBrowser(browser, from)).toBe(303)
  browser.cookies.delete('mortise_session')
  return browser
}
/** Guesses from 90 networks, one attempt each. */
const attack = async (who = email) => {
  const statuses: number[] = []
  for (let at = 0; at < 90; at++) statuses.push(await session(`203.0.113.${at}`, 'a guess of theirs', who))
  expect(statuses).toEqual([...Array(50).fill(401), ...Array(40).fill(429)])
}

describe('while somebody guesses from 90 addresses', () => {
  it('a browser that signed in before signs in at once, from any network; an unknown one waits', async () => {
    const browser = await knownBrowser('198.51.100.1')
    await attack()
    expect(await inBrowser(browser, '203.0.113.5')).toBe(303)
    expect(await inBrowser(openBrowser(app.url), '192.0.2.1')).toBe(429)
    app.clock.advance(15 * 60_000 + 1)
    expect(await inBrowser(openBrowser(app.url), '192.0.2.1')).toBe(303)
  })

  it('a network that signed in before does too, for 90 days', async () => {
    expect(await session(home)).toBe(200)
    await attack()
    expect(await session(home)).toBe(200)
    app.clock.advance(90 * 86_400_000 + 1)
    await attack()
    expect(await session(home)).toBe(429)
  })

  it('who is signed in can still change the password', async () => {
    await attack()
    const body = { currentPassword: password, newPassword: 'another horse battery' }
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.200' }
    expect((await app.call('POST', '/my-info/password', body, { apiKey: null, headers })).status).toBe(204)
  })

  it('the owner is mailed once a day: how many, when, and from where', async () => {
    const mailed = () => smtp.received.filter(({ to }) => to.some((one) => [email, 'nobody@example.com'].includes(one)))
    await attack('nobody@example.com')
    await attack()
    app.clock.advance(16 * 60_000)
    await attack()
    app.clock.advance(24 * 3_600_000)
    await attack()
    await vi.waitFor(() => expect(mailed()).toHaveLength(2), { timeout: 30_000 })
    const mails = mailed()
    expect(mails.map(({ to }) => to)).toEqual([[email], [email]])
    const text = readable(mails[0]!.text)
    expect(text).toContain(`more than 50 failed attempts to sign in as ${email}`)
    expect(text).toMatch(/Time: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
    expect(text).toContain('Last address: 203.0.113.50')
    expect(text).not.toContain(password)
  })
})

describe('a device cookie', () => {
  it('lasts, is hidden from scripts, signs nobody in, and says nothing of the account', async () => {
    const browser = await knownBrowser(home)
    expect(browser.attributes.get('mortise_device')).toBe('Path=/; HttpOnly; SameSite=Lax; Max-Age=34560000')
    expect(browser.cookies.get('mortise_device')).toMatch(/^[\w-]{43}$/)
    expect((await browser.get('/signin/done')).location).toBe('/signin')
  })

  it('of another account, changed, made up, or too old counts for nothing', async () => {
    const other = openBrowser(app.url)
    const mine = await knownBrowser('198.51.100.1')
    const cookie = mine.cookies.get('mortise_device')!
    const theirs = email
    email = `other-${accounts}@example.com`
    await signInBuilder(app, { email, password })
    await attack()
    const changed = cookie.slice(0, 8) + (cookie[8] === 'A' ? 'B' : 'A') + cookie.slice(9)
    for (const device of [cookie, changed, 'A'.repeat(43)]) {
      other.cookies.set('mortise_device', device)
      expect(await inBrowser(other, '192.0.2.1')).toBe(429)
    }
    email = theirs
    await attack()
    other.cookies.set('mortise_device', changed)
    expect(await inBrowser(other, '192.0.2.1')).toBe(429)
    other.cookies.set('mortise_device', cookie)
    expect(await inBrowser(other, '192.0.2.1')).toBe(303)
    app.clock.advance(401 * 86_400_000)
    await attack()
    const late = openBrowser(app.url)
    late.cookies.set('mortise_device', cookie)
    expect(await inBrowser(late, '192.0.2.2')).toBe(429)
  })

  it('that is stolen buys ten guesses, and leaves the owner’s other ways open', async () => {
    const browser = await knownBrowser(home)
    const statuses: number[] = []
    for (let at = 0; at < 11; at++) statuses.push(await inBrowser(browser, `203.0.113.${at}`, 'a guess of theirs'))
    expect(statuses).toEqual([...Array(10).fill(401), 429])
    expect(await session(home)).toBe(200)
    expect(await session('192.0.2.9')).toBe(200)
  })
})

it('a known network is still limited: ten guesses at an account, a hundred at all', async () => {
  expect(await session(home)).toBe(200)
  const statuses: number[] = []
  for (let at = 0; at < 11; at++) statuses.push(await session(home, 'a guess of theirs'))
  expect(statuses).toEqual([...Array(10).fill(401), 429])
  for (let at = 0; at < 88; at++) expect(await session(home, 'a guess', `user-${at}@example.com`)).toBe(401)
  const last = []
  for (let at = 0; at < 3; at++) last.push(await session(home, 'a guess', `last-${at}@example.com`))
  expect(last).toEqual([401, 429, 429])
})
