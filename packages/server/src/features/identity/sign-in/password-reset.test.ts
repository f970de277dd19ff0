import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openBrowser } from '../../../testkit/browser.ts'
import { readEvents } from '../../../testkit/read-events.ts'
import { readable, startSmtp, type TestSmtp } from '../../../testkit/smtp-server.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'
import { sendPasswordResetHandler } from './jobs/send-password-reset.ts'

interface ProblemBody {
  context: { code: string }
  issues: { name: string }[]
}

const password = 'correct horse battery'
const next = 'staple battery horse correct'
const publicUrl = 'https://mortise.example.com'
let smtp: TestSmtp
let app: TestApp
let people = 0
let email: string
beforeAll(async () => {
  smtp = await startSmtp()
  app = await startTestApp({
    env: {
      MORTISE_TRUSTED_PROXIES: '127.0.0.1',
      MORTISE_PUBLIC_URL: publicUrl,
      MORTISE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    },
  })
})
afterAll(async () => {
  await app?.stop()
  await smtp?.close()
})
beforeEach(async () => {
  email = `ada-${++people}@example.com`
  await sql`delete from sign_in_attempts`.execute(system())
})

const system = () => app.testDatabase.database.system
const call = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.call<ProblemBody>('POST', path, body, { apiKey: null, headers })
const request = (who = email, headers?: Record<string, string>) => call('/password-resets', { email: who }, headers)
const complete = (token: string, newPassword = next) => call('/password-resets:complete', { token, newPassword })
const signIn = async (secret: string, who = email) => (await call('/sessions', { email: who, password: secret })).status
const mailsTo = (who: string, subject: string) =>
  smtp.received
    .filter(({ to }) => to.includes(who))
    .map(({ text }) => readable(text))
    .filter((text) => text.includes(`Subject: ${subject}\n`))
const tokenIn = (text: string) => /\/signin\/reset\?token=([\w-]+)$/m.exec(text)?.[1] ?? ''
/** Requests a link, and waits for its mail. */
async function mailedToken(headers?: Record<string, string>, who = email, typed = who): Promise<string> {
  const before = mailsTo(who, 'Reset your password').length
  expect((await request(typed, headers)).status).toBe(204)
  await vi.waitFor(() => expect(mailsTo(who, 'Reset your password')).toHaveLength(before + 1), { timeout: 30_000 })
  return tokenIn(mailsTo(who, 'Reset your password').at(-1)!)
}
const person = (options: Partial<Parameters<typeof signInBuilder>[1]> = {}) =>
  signInBuilder(app, { email, password, ...options })

describe('a request for a link', () => {
  it('is answered alike whether or not there is an account, and takes the same steps', async () => {
    await person()
    const nobody = `nobody-${people}@example.com`
    const answers = [await request(), await request(nobody)]
    for (const { status, body } of answers) expect([status, body]).toEqual([204, answers[0]!.body])
    await vi.waitFor(async () => {
      const { rows } = await sql<{ state: string }>`
        select state::text from mortise_jobs.job
         where name = 'sign-in.send-password-reset' and data->>'email' in (${email}, ${nobody})`.execute(system())
      expect(rows.map(({ state }) => state)).toEqual(['completed', 'completed'])
    }, 30_000)
    expect([mailsTo(email, 'Reset your password').length, mailsTo(nobody, 'Reset your password').length]).toEqual([
      1, 0,
    ])
  })

  it('takes the address in any case', async () => {
    await person()
    await mailedToken({}, email, email.toUpperCase())
  })

  it('leads to the configured address, whatever the request says of the host', async () => {
    await person()
    await mailedToken({
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      origin: 'https://evil.example',
    })
    const [mail] = mailsTo(email, 'Reset your password')
    expect(mail).toContain(`${publicUrl}/signin/reset?token=`)
    expect(mail).not.toContain('evil.example')
  })

  it('keeps only a hash of the token, in no job and no log', async () => {
    await person()
    const token = await mailedToken()
    expect(token).toMatch(/^[\w-]{43}$/)
    const { rows: resets } = await sql`select to_jsonb(password_resets) from password_resets`.execute(system())
    const { rows: jobs } = await sql`select to_jsonb(job) from mortise_jobs.job`.execute(system())
    for (const stored of [resets, jobs, app.logs]) expect(JSON.stringify(stored)).not.toContain(token)
    expect(JSON.stringify(app.logs)).toContain('emailed a link to reset a password')
  })

  it('is limited for an address that nobody has like for one that somebody has', async () => {
    await person()
    for (const who of [email, 'nobody@example.com']) {
      const statuses: number[] = []
      for (let at = 0; at < 6; at++)
        statuses.push((await request(who, { 'x-forwarded-for': `203.0.113.${at}` })).status)
      expect(statuses).toEqual([204, 204, 204, 204, 204, 429])
    }
    const refused = await request(email)
    expect(refused.body.context.code).toBe('too-many-password-resets')
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    app.clock.advance(3_600_001)
    expect((await request(email)).status).toBe(204)
  })

  it('is limited for one network, over all addresses', async () => {
    const statuses: number[] = []
    for (let at = 0; at < 21; at++)
      statuses.push((await request(`user-${at}@example.com`, { 'x-forwarded-for': '203.0.113.9' })).status)
    expect(statuses).toEqual([...Array(20).fill(204), 429])
  })

  it('is still accepted from a network that signed in before, while strangers use up the limit', async () => {
    await person()
    expect(await signIn(password)).toBe(200)
    for (let at = 0; at < 7; at++) await request(email, { 'x-forwarded-for': `203.0.113.${at}` })
    expect((await request(email, { 'x-forwarded-for': '203.0.113.50' })).status).toBe(429)
    expect((await request(email)).status).toBe(204)
  })

  it('names a mail address, in a body of at most 16 KB', async () => {
    expect((await request('no address')).status).toBe(400)
    expect((await call('/password-resets', { email, more: 'x'.repeat(20_000) })).status).toBe(413)
  })

  it('of an account of single sign-on alone is answered by mail with where to sign in', async () => {
    const { services } = app.app
    await person({ password: undefined as never })
    const job = {
      id: 'once',
      data: { email },
      signal: AbortSignal.timeout(10_000),
      log: services.log,
      giveWay: () => false,
    }
    await sendPasswordResetHandler.declaration.run(job, { ...services, singleSignOn: { name: 'Example ID' } as never })
    await vi.waitFor(() => expect(mailsTo(email, 'Reset your password')).toHaveLength(1), { timeout: 30_000 })
    const [mail] = mailsTo(email, 'Reset your password')
    expect(mail).toContain(`This account has no password. Sign in with Example ID: ${publicUrl}/signin`)
    expect(tokenIn(mail!)).toBe('')
  })
})

describe('a link', () => {
  it('sets the password once, and signs nobody in', async () => {
    await person()
    const token = await mailedToken()
    const done = await complete(token)
    expect([done.status, done.headers.getSetCookie()]).toEqual([204, []])
    expect([await signIn(password), await signIn(next)]).toEqual([401, 200])
    const again = await complete(token, 'another staple battery horse')
    expect([again.status, again.body.context.code]).toEqual([401, 'reset-link-refused'])
    expect(await signIn(next)).toBe(200)
  })

  it('that two use at the same moment works for one', async () => {
    await person()
    const token = await mailedToken()
    const statuses = (await Promise.all([complete(token), complete(token, 'another staple battery')])).map(
      ({ status }) => status,
    )
    expect(statuses.toSorted()).toEqual([204, 401])
  })

  it('expires after an hour', async () => {
    await person()
    const token = await mailedToken()
    app.clock.advance(3_600_001)
    expect((await complete(token)).status).toBe(401)
  })

  it('stops working when a newer one is made', async () => {
    await person()
    const older = await mailedToken()
    const newer = await mailedToken()
    expect((await complete(older)).status).toBe(401)
    expect((await complete(newer)).status).toBe(204)
  })

  it('stops working when the password changes', async () => {
    const { headers } = await person()
    const token = await mailedToken()
    const change = { currentPassword: password, newPassword: 'another horse battery' }
    expect((await call('/my-info/password', change, headers)).status).toBe(204)
    expect((await complete(token)).status).toBe(401)
    expect(await signIn('another horse battery')).toBe(200)
  })

  it('refuses passwords that are short or easy to guess, and still works afterwards', async () => {
    await person()
    const token = await mailedToken()
    for (const bad of ['short', 'password1234', email]) {
      const { status, body } = await complete(token, bad)
      expect([status, body.issues.map(({ name }) => name)]).toEqual([400, ['newPassword']])
      expect(JSON.stringify(body)).not.toContain(`"${bad}"`)
    }
    expect((await complete(token)).status).toBe(204)
  })

  it.each(['', 'x', 'A'.repeat(43), '\u0000'.repeat(43), 'ü'.repeat(200)])(
    'of the token %j is refused',
    async (token) => {
      expect((await complete(token)).status).toBe(token === '' || token.includes('\0') ? 400 : 401)
    },
  )

  it('ends every session, the open streams, and codes on their way to a command line', async () => {
    const { headers, builderId } = await person({ role: 'developer' })
    const token = await mailedToken()
    const stream = await readEvents(`${app.url}/v1/projects/default/logs:stream`, headers)
    expect(stream.status).toBe(200)
    await sql`insert into sign_in_codes (code_hash, builder_id, challenge, expire_time)
      values ('\\x01', ${builderId}, 'x', ${new Date(app.clock.now().getTime() + 60_000)})`.execute(system())
    const { body } = await call('/sessions', { email, password })
    const { refreshToken } = body as unknown as { refreshToken: string }
    expect((await complete(token)).status).toBe(204)
    expect((await app.call('GET', '/my-info', undefined, { apiKey: null, headers })).status).toBe(401)
    expect((await call('/sessions:refresh', { refreshToken })).status).toBe(401)
    for (const table of ['sessions', 'sign_in_codes', 'password_resets']) {
      const { rows } = await sql`select from ${sql.table(table)} where builder_id = ${builderId}`.execute(system())
      expect(rows, table).toEqual([])
    }
    const begun = performance.now()
    await stream.ended
    expect(performance.now() - begun).toBeLessThan(5_000)
  })

  it('that was mailed proves the address, and the person is mailed that the password changed', async () => {
    const { builderId } = await person({ emailVerified: false })
    await complete(await mailedToken())
    const row = await system().selectFrom('builders').select('email_verified').where('id', '=', builderId).execute()
    expect(row).toEqual([{ email_verified: true }])
    await vi.waitFor(() => expect(mailsTo(email, 'Your password was changed')).toHaveLength(1), { timeout: 30_000 })
    const [mail] = mailsTo(email, 'Your password was changed')
    expect(mail).toContain(`The password of ${email} at ${publicUrl} was changed.`)
    expect(mail).toMatch(/Time: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
    expect(mail).toContain(`${publicUrl}/signin/forgot`)
  })
})

it('a change of the password is mailed, too', async () => {
  const { headers } = await person()
  const change = { currentPassword: password, newPassword: next }
  expect((await call('/my-info/password', change, headers)).status).toBe(204)
  await vi.waitFor(() => expect(mailsTo(email, 'Your password was changed')).toHaveLength(1), { timeout: 30_000 })
})

describe('the pages', () => {
  // Cookies of an https service carry a prefix; the pages are asked over plain HTTP here.
  const page = () => openBrowser(app.url, { 'x-forwarded-proto': 'https' })
  const submit = (
    browser: ReturnType<typeof page>,
    shown: Parameters<typeof browser.submit>[0],
    fields: Record<string, string>,
  ) => browser.submit(shown, fields, { headers: { origin: publicUrl } })

  it('lead from the sign-in page to a new password, without the token in the address bar', async () => {
    await person()
    const browser = page()
    const signInPage = await browser.get('/signin')
    expect(signInPage.text).toContain('<a href="/signin/forgot">Forgot your password?</a>')
    const sent = await submit(browser, await browser.get('/signin/forgot'), { email })
    expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('Check your email</h1>')])
    await vi.waitFor(() => expect(mailsTo(email, 'Reset your password')).toHaveLength(1), { timeout: 30_000 })
    const token = tokenIn(mailsTo(email, 'Reset your password')[0]!)

    const opened = await browser.get(`/signin/reset?token=${token}`)
    expect([opened.status, opened.location]).toEqual([303, '/signin/reset'])
    expect(opened.headers.get('referrer-policy')).toBe('no-referrer')
    expect(opened.headers.get('cache-control')).toBe('no-store')
    expect(browser.attributes.get('__Host-mortise_reset')).toBe('Path=/; HttpOnly; SameSite=Lax; Max-Age=3600; Secure')
    const form = await browser.get('/signin/reset')
    expect(form.text).toContain(email)
    expect(form.text).not.toContain(token)
    expect(form.headers.get('cache-control')).toBe('no-store')

    const weak = await submit(browser, form, { password: 'password1234' })
    expect([weak.status, weak.text]).toEqual([400, expect.stringContaining('easy to guess')])
    const done = await submit(browser, form, { password: next })
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('Password changed</h1>')])
    expect(browser.cookies.has('__Host-mortise_reset')).toBe(false)
    expect(browser.cookies.has('__Host-mortise_session'), 'signs nobody in').toBe(false)
    expect(browser.cookies.has('__Host-mortise_device'), 'makes the browser known').toBe(true)
    expect(await signIn(next)).toBe(200)
    expect((await browser.get('/signin/reset')).status).toBe(404)
  })

  it('say the same of an address that nobody has', async () => {
    await person()
    const browser = page()
    const form = await browser.get('/signin/forgot')
    const texts = []
    for (const who of [email, 'nobody@example.com']) {
      const { status, text } = await submit(browser, form, { email: who })
      texts.push([status, text.replaceAll(who, 'them')])
    }
    expect(texts[0]).toEqual(texts[1])
    expect((await submit(browser, form, { email: 'no address' })).status).toBe(400)
  })

  it('take no form of another browser or of another site', async () => {
    await person()
    const token = await mailedToken()
    const [mine, other] = [page(), page()]
    await mine.get(`/signin/reset?token=${token}`)
    await other.get(`/signin/reset?token=${token}`)
    const form = await mine.get('/signin/reset')
    await other.get('/signin/reset')
    expect((await submit(other, form, { password: next })).status).toBe(403)
    const evil = { headers: { origin: 'https://evil.example' } }
    expect((await mine.submit(form, { password: next }, evil)).status).toBe(403)
    expect(await signIn(password)).toBe(200)
  })

  it.each(['x', 'A'.repeat(43)])('say of the token %j that it is not valid', async (token) => {
    const browser = page()
    const { status, location } = await browser.get(`/signin/reset?token=${token}`)
    if (token.length < 43) return expect(status).toBe(404)
    expect(location).toBe('/signin/reset')
    const shown = await browser.get('/signin/reset')
    expect([shown.status, shown.text]).toEqual([404, expect.stringContaining('This link is not valid</h1>')])
  })

  it('let a person sign in at once although somebody guesses from many addresses', async () => {
    await person()
    const browser = page()
    await browser.get(`/signin/reset?token=${await mailedToken()}`)
    const away = { origin: publicUrl, 'x-forwarded-for': '198.51.100.200' }
    await browser.submit(await browser.get('/signin/reset'), { password: next }, { headers: away })
    for (let at = 0; at < 52; at++)
      await call('/sessions', { email, password: 'a guess' }, { 'x-forwarded-for': `203.0.113.${at}` })
    const shown = await browser.submit(await browser.get('/signin'), { email, password: next }, { headers: away })
    expect(shown.status).toBe(303)
  })
})
