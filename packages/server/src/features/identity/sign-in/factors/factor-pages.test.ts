import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Browser, openBrowser, type Shown } from '../../../../testkit/browser.ts'
import { startTestApp, startTestNode, type TestApp } from '../../../../testkit/test-app.ts'
import { codeAt, createPerson, type Enrolled, enrollTotp, type Person, password } from './factors.testkit.ts'

let app: TestApp
let person: Person
let browser: Browser
let people = 0
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())
beforeEach(async () => {
  person = await createPerson(app, `ada-${++people}@example.com`)
  browser = openBrowser(app.url)
  await sql`delete from sign_in_attempts`.execute(system())
})

const system = () => app.testDatabase.database.system
const enterPassword = async (who = browser, path = '/signin') =>
  await who.submit(await who.get(path), { email: person.email, password })

describe('the second step', () => {
  let app2fa: Enrolled
  beforeEach(async () => {
    app2fa = await enrollTotp(app, person)
  })

  it('asks for the code without scripts, and then continues where the person wanted to go', async () => {
    const next = '/signin/cli?port=1&x=y'
    const entered = await enterPassword(browser, `/signin?${new URLSearchParams({ next })}`)
    expect([entered.status, entered.location]).toEqual([303, `/signin/factor?${new URLSearchParams({ next })}`])
    expect(browser.cookies.has('mortise_session')).toBe(false)
    expect(browser.cookies.has('mortise_device')).toBe(false)
    expect(browser.attributes.get('mortise_half')).toBe('Path=/; HttpOnly; SameSite=Lax; Max-Age=600')
    expect((await browser.get('/signin/done')).location).toBe('/signin')
    const page = await browser.get(entered.location!)
    expect(page.text).toContain('Enter the code from your app')
    expect(page.text).not.toContain('<script')
    expect(page.text).not.toContain(person.email)
    const wrong = await browser.submit(page, { code: '000000' })
    expect(wrong.status).toBe(401)
    expect(wrong.text).toContain('role="alert"')
    const right = await browser.submit(page, { code: app2fa.nextCode() })
    expect([right.status, right.location]).toEqual([303, next])
    expect(browser.cookies.has('mortise_half')).toBe(false)
    expect((await browser.get('/signin/done')).text).toContain(person.email)
  })

  it('takes a recovery code on its own page', async () => {
    await enterPassword()
    const page = await browser.get('/signin/factor')
    const link = /href="([^"]*)">Use a recovery code/.exec(page.text)![1]!.replaceAll('&#61;', '=')
    const answer = await browser.submit(await browser.get(link), { code: app2fa.recoveryCodes[3]! })
    expect([answer.status, answer.location]).toEqual([303, '/console'])
  })

  it('is bound to the browser, works once, and for ten minutes', async () => {
    await enterPassword()
    const page = await browser.get('/signin/factor')
    const thief = openBrowser(app.url)
    await thief.get('/signin')
    thief.cookies.set('mortise_half', browser.cookies.get('mortise_half')!)
    expect((await thief.get('/signin/factor')).location).toBe('/signin')
    const half = browser.cookies.get('mortise_half')!
    expect((await browser.submit(page, { code: app2fa.nextCode() })).status).toBe(303)
    const again = openBrowser(app.url)
    for (const name of ['mortise_browser']) again.cookies.set(name, browser.cookies.get(name)!)
    again.cookies.set('mortise_half', half)
    expect((await again.get('/signin/factor')).location, 'used').toBe('/signin')

    const slow = openBrowser(app.url)
    await enterPassword(slow)
    const shown = await slow.get('/signin/factor')
    app.clock.advance(600_001)
    expect((await slow.submit(shown, { code: app2fa.nextCode() })).status, 'expired').toBe(403)
  })

  it('stores only hashes', async () => {
    await enterPassword()
    const { rows } = await sql<{ text: string }>`select half_sign_ins::text as text from half_sign_ins`.execute(
      system(),
    )
    const token = browser.cookies.get('mortise_half')!
    for (const { text } of rows) {
      expect(text).not.toContain(token)
      expect(text).not.toContain(Buffer.from(token, 'base64url').toString('hex'))
    }
  })

  it('ends when the factors or the password change meanwhile', async () => {
    const changes = [
      () => person.call('POST', '/my-info/recovery-codes'),
      () =>
        person.call('POST', '/my-info/password', { currentPassword: password, newPassword: 'another horse battery' }),
    ]
    for (const change of changes) {
      const who = openBrowser(app.url)
      await enterPassword(who)
      const page = await who.get('/signin/factor')
      await change()
      expect((await who.submit(page, { code: app2fa.nextCode() })).status).toBe(403)
    }
  })

  it('is limited: wrong codes make the browser wait', async () => {
    await enterPassword()
    const page = await browser.get('/signin/factor')
    const statuses: number[] = []
    for (let at = 0; at < 11; at++) statuses.push((await browser.submit(page, { code: '000000' })).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429])
  })

  it('leaves entries in the audit log: failures too', async () => {
    await sql`insert into memberships (org_id, builder_id, role) select org_id, ${person.builderId}, 'member' from projects where name = 'default'`.execute(
      system(),
    )
    await enterPassword()
    const page = await browser.get('/signin/factor')
    await browser.submit(page, { code: '000000' })
    await browser.submit(page, { code: app2fa.nextCode() })
    const { rows } = await sql<{ outcome: string }>`
      select outcome from audit_entries where actor_id = ${person.builderId} and action = 'submitFactor' order by id`.execute(
      system(),
    )
    expect(rows.map(({ outcome }) => outcome)).toEqual(['failure', 'success'])
  })
})

describe('setting up on the page', () => {
  const codesOn = (page: Shown) =>
    [...page.text.matchAll(/<code>([0-9A-Z]{6}(?:-[0-9A-Z]{6}){3})<\/code>/g)].map(([, code]) => code!)
  const secretOn = (page: Shown) =>
    /enter this key: <code>([A-Z2-7 ]+)<\/code>/.exec(page.text)![1]!.replaceAll(' ', '')

  it('needs no scripts: a key and a QR code, then a code, then recovery codes', async () => {
    await enterPassword()
    const page = await browser.get('/signin/enroll')
    const setup = await browser.submit(page, { kind: 'totp' })
    expect(setup.status).toBe(200)
    expect(setup.text).toContain('aria-label="QR code"')
    const refused = await browser.submit(setup, { code: '000000' })
    expect(refused.status).toBe(400)
    expect(secretOn(refused)).toBe(secretOn(setup))
    const done = await browser.submit(refused, { code: codeAt(secretOn(setup), app.clock.now()) })
    expect([done.status, codesOn(done).length]).toEqual([200, 10])
    const other = openBrowser(app.url)
    expect((await enterPassword(other)).location).toBe('/signin/factor')
    expect(
      (await other.submit(await other.get('/signin/factor?with=recoveryCode'), { code: codesOn(done)[0]! })).status,
    ).toBe(303)
  })

  it('asks for the password again when the sign-in was long ago', async () => {
    await enterPassword()
    app.clock.advance(600_000)
    const page = await browser.get('/signin/enroll')
    expect(page.text).toContain('name="proof"')
    expect((await browser.submit(page, { kind: 'totp', proof: 'wrong' })).status).toBe(403)
    expect((await browser.submit(page, { kind: 'totp' })).status).toBe(403)
    expect((await browser.submit(page, { kind: 'totp', proof: password })).text).toContain('QR code')
  })
})

describe('an organization that requires a second factor', () => {
  let owner: Person
  beforeEach(async () => {
    owner = await createPerson(app, `owner-${people}@example.com`, { role: 'owner' })
    await enrollTotp(app, owner)
    await sql`insert into memberships (org_id, builder_id, role) select org_id, ${person.builderId}, 'member' from projects where name = 'default'`.execute(
      system(),
    )
  })
  const setRequired = async (requireSecondFactor: boolean, who = owner) => {
    const { rows } = await sql<{ id: string }>`select org_id as id from projects where name = 'default'`.execute(
      system(),
    )
    const answer = await who.call('PATCH', `/orgs/${rows[0]!.id}`, {
      updateMask: ['requireSecondFactor'],
      org: { requireSecondFactor },
    })
    app.clock.advance(5_001)
    return answer
  }

  it('is set by owners alone, and shown', async () => {
    expect((await setRequired(true, person)).status).toBe(403)
    expect((await setRequired(true)).body).toMatchObject({ requireSecondFactor: true })
    expect((await setRequired(false)).body).toMatchObject({ requireSecondFactor: false })
  })

  it('refuses API calls of members without one, except those that set one up, on every node', async () => {
    const node = await startTestNode(app, { MORTISE_ROLES: 'api' })
    try {
      await setRequired(true)
      for (const path of ['/my-info', '/projects/default', '/projects/default/api-keys', '/projects']) {
        expect((await person.call('GET', path)).body.context.code, path).toBe('second-factor-missing')
        const elsewhere = await node.call('GET', path, undefined, { apiKey: null, headers: person.headers })
        expect(elsewhere.body).toMatchObject({ context: { code: 'second-factor-missing' } })
      }
      expect((await owner.call('GET', '/projects/default')).status).toBe(200)
      await enrollTotp(app, person)
      expect((await person.call('GET', '/projects/default')).status).toBe(200)
      expect((await person.call('DELETE', '/sessions/current')).status).toBe(204)
    } finally {
      await node.stop()
      await setRequired(false)
    }
  })

  it('leads members without one to the page that sets one up, before anything else', async () => {
    await setRequired(true)
    expect((await enterPassword()).location).toBe('/console')
    const next = `/signin/cli?port=4000&challenge=${'a'.repeat(43)}&state=12345678`
    for (const path of ['/signin/done', '/signin/amp-cli', next])
      expect((await browser.get(path)).location).toBe(`/signin/enroll?${new URLSearchParams({ next: path })}`)
    const setup = await browser.submit(await browser.get(`/signin/enroll?${new URLSearchParams({ next })}`), {
      kind: 'totp',
    })
    const secret = /enter this key: <code>([A-Z2-7 ]+)<\/code>/.exec(setup.text)![1]!.replaceAll(' ', '')
    const done = await browser.submit(setup, { code: codeAt(secret, app.clock.now()) })
    expect(done.text).toContain('port&#61;4000')
    expect((await browser.get(next)).text).toContain('Authorize the command line?')
    await setRequired(false)
  })

  it('does not ask people of single sign-on', async () => {
    await setRequired(true)
    await sql`update sessions set method = 'single-sign-on' where id = ${person.sessionId}`.execute(system())
    app.clock.advance(5_001)
    expect((await person.call('GET', '/projects/default')).status).toBe(200)
    await setRequired(false)
  })
})
