import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Browser, openBrowser, type Shown } from '../../../testkit/browser.ts'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder, type TestBuilder } from '../../../testkit/test-builder.ts'
import { firstOwnerLink } from './index.ts'
import { newSecret } from './sessions.ts'

const password = 'correct horse battery'
let app: TestApp
let owner: TestBuilder
let browser: Browser
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterAll(() => app?.stop())
beforeEach(async () => {
  await sql`delete from sign_in_attempts`.execute(app.testDatabase.database.system)
  browser = openBrowser(app.url)
})

async function signIn(who: Browser, email: string, path = '/signin', secret = password): Promise<Shown> {
  return await who.submit(await who.get(path), { email, password: secret })
}

const pathOf = (link: string) => link.replace(/^https?:\/\/[^/]+/, '')
const setupLink = async () => {
  const { database, keyring, publicUrl } = app.app.services
  return (await firstOwnerLink({ database, keyring, publicUrl }))?.reveal()
}

describe('the first owner', () => {
  it('comes in by the link that is printed, which every node prints alike', async () => {
    const node = await startTestNode(app, { MORTISE_ROLES: 'api' })
    try {
      const link = await setupLink()
      expect(link).toMatch(/^http:\/\/localhost:0\/signin\/setup\?token=[\w-]{43}$/)
      const { database, keyring, publicUrl } = node.app.services
      expect((await firstOwnerLink({ database, keyring, publicUrl }))?.reveal()).toBe(link)
      expect((await openBrowser(node.url).get(pathOf(link!))).status).toBe(200)
    } finally {
      await node.stop()
    }
    expect(app.logs.join('\n')).not.toContain('signin/setup?token=')
  })

  it('is told what is wrong with what they typed, and nothing is made', async () => {
    const page = await browser.get(pathOf((await setupLink())!))
    const wrong = await browser.submit(page, { email: 'nobody', name: 'x'.repeat(201), password: 'short' })
    expect(wrong.status).toBe(400)
    for (const said of ['email address', 'at most 200 characters', 'at least 12 characters'])
      expect(wrong.text).toContain(said)
    expect(wrong.text).not.toContain('nobody')
    expect(await setupLink()).toBeDefined()
  })

  it('with another token, or none, is shown nothing', async () => {
    for (const path of ['/signin/setup', '/signin/setup?token=', `/signin/setup?token=${newSecret()}`])
      expect((await browser.get(path)).status).toBe(404)
    const page = await browser.get(pathOf((await setupLink())!))
    const fields = { token: newSecret(), email: 'eve@example.com', password }
    expect((await browser.submit(page, fields)).status).toBe(404)
  })

  it('is one: of two with the link the second is too late, and then it is printed no more', async () => {
    const link = pathOf((await setupLink())!)
    const other = openBrowser(app.url)
    const [mine, theirs] = [await browser.get(link), await other.get(link)]
    const answers = await Promise.all([
      browser.submit(mine, { email: 'Owner@Example.com', name: 'An Owner', password }),
      other.submit(theirs, { email: 'second@example.com', password }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404])
    const { system } = app.testDatabase.database
    const { rows } = await sql<{ email: string; role: string; name: string }>`
      select email, role, project.name from builders
        join memberships on builder_id = builders.id join projects project on project.org_id = memberships.org_id`.execute(
      system,
    )
    expect(rows).toEqual([
      { email: expect.stringMatching(/^(owner|second)@example.com$/), role: 'owner', name: 'default' },
    ])
    expect(await setupLink()).toBeUndefined()
    expect((await openBrowser(app.url).get(link)).status).toBe(404)
    const winner = answers[0].status === 303 ? browser : other
    expect(answers.find(({ status }) => status === 303)?.location).toBe('/console')
    const done = await winner.get('/signin/done')
    expect(done.text).toContain(rows[0]!.email)
    owner = await signInBuilder(app, { email: 'inviter@example.com', role: 'owner' })
  })
})

describe('signing in', () => {
  beforeAll(() => signInBuilder(app, { email: 'ada@example.com', role: 'developer', password }))

  it('takes email and password, remembers the browser, and ends on request', async () => {
    const answer = await signIn(browser, 'ADA@example.com')
    expect([answer.status, answer.location]).toEqual([303, '/console'])
    const done = await browser.get('/signin/done')
    expect(done.text).toContain('ada@example.com')
    expect((await browser.get('/signin')).location).toBe('/console')
    const token = browser.cookies.get('mortise_session')!
    expect((await browser.submit(done)).location).toBe('/signin')
    expect(browser.cookies.has('mortise_session')).toBe(false)
    browser.cookies.set('mortise_session', token)
    expect((await browser.get('/signin/done')).location, 'the session itself has ended').toBe('/signin')
  })

  it('refuses a wrong password and an unknown email alike, and shows nothing of what was typed', async () => {
    const bare = ({ text }: Shown) => text.replaceAll(/name="form" value="[^"]*"/g, '')
    const wrong = await signIn(browser, 'ada@example.com', '/signin', 'typed by mistake')
    const nobody = await signIn(browser, 'nobody@example.com', '/signin', 'typed by mistake')
    expect([wrong.status, nobody.status]).toEqual([401, 401])
    expect(bare(wrong)).toBe(bare(nobody))
    expect(wrong.text).toContain('role="alert"')
    expect(wrong.text).not.toMatch(/ada@example|typed by mistake/)
    expect(browser.cookies.has('mortise_session')).toBe(false)
  })

  it('makes whoever guesses wait, and says how long', async () => {
    const page = await browser.get('/signin')
    const { system } = app.testDatabase.database
    await browser.submit(page, { email: 'guess@example.com', password: 'x' })
    await sql`update sign_in_attempts set count = 1000`.execute(system)
    const answer = await browser.submit(page, { email: 'guess@example.com', password: 'x' })
    expect(answer.status).toBe(429)
    expect(answer.text).toMatch(/Try again in 1[45] minutes/)
  })

  it.each([
    ['/signin/cli?port=1&x=y', '/signin/cli?port=1&x=y'],
    ['/console', '/console'],
    ['//evil.example', '/console'],
    ['https://evil.example', '/console'],
    ['/\\evil.example', '/console'],
    ['/\t/evil.example', '/console'],
    ['/a/..//evil.example', '/console'],
    ['/.//evil.example', '/console'],
    ['javascript:alert(1)', '/console'],
    ['\\\\evil.example', '/console'],
    [`/${'x'.repeat(3_000)}`, '/console'],
  ])('goes on at %j as %j', async (next, location) => {
    const path = `/signin?${new URLSearchParams({ next })}`
    expect((await signIn(browser, 'ada@example.com', path)).location).toBe(location)
    expect((await browser.get(path)).location).toBe(location)
    const forged = openBrowser(app.url)
    const page = await forged.get('/signin')
    expect((await forged.submit(page, { email: 'ada@example.com', password, next })).location).toBe(location)
  })

  it('never takes over a session that the browser was given before', async () => {
    const planted = newSecret()
    browser.cookies.set('mortise_session', planted)
    await signIn(browser, 'ada@example.com')
    const mine = browser.cookies.get('mortise_session')
    expect(mine).toMatch(/^[\w-]{43}$/)
    expect(mine).not.toBe(planted)
    await browser.get('/signin/done')
    const again = openBrowser(app.url)
    again.cookies.set('mortise_session', planted)
    expect((await again.get('/signin/done')).location).toBe('/signin')
  })

  it('ends the session that the browser had when somebody else signs in', async () => {
    await signIn(browser, 'ada@example.com')
    const before = browser.cookies.get('mortise_session')!
    const page = await browser.get('/signin/done')
    const out = await browser.submit(page)
    expect(out.status).toBe(303)
    await signIn(browser, 'ada@example.com')
    const old = openBrowser(app.url)
    old.cookies.set('mortise_session', before)
    expect((await old.get('/signin/done')).location).toBe('/signin')
  })
})

describe('a form', () => {
  const stale = async (answer: Shown) => {
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('Nothing was changed')
    expect(browser.cookies.has('mortise_session')).toBe(false)
  }
  const fields = { email: 'ada@example.com', password }

  it('without its token, or with that of another browser, does nothing', async () => {
    const page = await browser.get('/signin')
    await stale(await browser.submit(page, { ...fields, form: '' }))
    await stale(await browser.submit(page, { ...fields, form: newSecret() }))
    await stale(await browser.submit(await openBrowser(app.url).get('/signin'), fields))
    browser.cookies.clear()
    await stale(await browser.submit(page, fields))
  })

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['nowhere', { origin: 'null' }],
    ['another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour', { 'sec-fetch-site': 'same-site' }],
  ])('from %s does nothing', async (_, headers) => {
    await stale(
      await browser.submit(await browser.get('/signin'), fields, { headers: headers as Record<string, string> }),
    )
  })

  it('that was opened before signing in does nothing afterwards', async () => {
    const before = await browser.get('/signin')
    await signIn(browser, 'ada@example.com')
    expect((await browser.submit(before, fields)).status).toBe(403)
  })

  it.each([
    ['JSON', 'application/json', '{}', 415],
    ['plain text', 'text/plain', 'form=x', 415],
    ['20 kB', 'application/x-www-form-urlencoded', `x=${'x'.repeat(20_000)}`, 413],
    ['NUL', 'application/x-www-form-urlencoded', 'email=%00', 400],
    ['bytes that are no text', 'application/x-www-form-urlencoded', 'email=%ff%fe', 403],
    ['nothing', 'application/x-www-form-urlencoded', '', 403],
  ])('of %s is refused', async (_, type, body, status) => {
    for (const path of [
      '/signin',
      '/signin/setup',
      '/signin/invite',
      '/signin/cli',
      '/signin/amp-cli',
      '/signin/out',
      '/signin/forgot',
      '/signin/reset',
    ]) {
      const answer = await fetch(`${app.url}${path}`, { method: 'POST', headers: { 'content-type': type }, body })
      expect([path, answer.status]).toEqual([path, status])
    }
  })
})

describe('every page', () => {
  beforeAll(() => signInBuilder(app, { email: 'ada@example.com', role: 'developer', password }))
  const hostile = `"><script>alert(1)</script>'\`=&{{7*7}}`
  const paths = () => {
    const query = new URLSearchParams({
      token: hostile,
      next: `/${hostile}`,
      port: hostile,
      challenge: hostile,
      state: hostile,
      code: hostile,
      error: hostile,
      error_description: hostile,
    })
    return ['', '/setup', '/invite', '/forgot', '/reset', '/cli', '/amp-cli', '/done', '/oidc', '/oidc/callback'].map(
      (name) => `/signin${name}?${query}`,
    )
  }

  it('shows nothing of what its address says, and is answered', async () => {
    for (const signedIn of [false, true]) {
      if (signedIn) await signIn(browser, 'ada@example.com')
      for (const path of paths()) {
        const { status, text, location } = await browser.get(path)
        expect([path, status < 500]).toEqual([path, true])
        // Where to go on is carried along, percent-encoded.
        const shown = text.replace(/name="next" value="\/[\w%()*&#;/]*"/, '')
        expect(shown).not.toMatch(/<script|alert\(1\)|7\*7/)
        if (location) expect(location).toMatch(/^\/(signin|%22)/)
      }
    }
  })

  it('runs no script, loads nothing, is framed and kept by nobody', async () => {
    await signIn(browser, 'ada@example.com')
    for (const path of [...paths(), '/signin/done', '/signin/amp-cli']) {
      const { headers, text } = await browser.get(path)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('same-origin')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      if (text === '') continue
      const policy = headers.get('content-security-policy')!
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'[^;]*; frame-ancestors 'none'; base-uri 'none'$/,
      )
      const styleText = /<style>(.*?)<\/style>/s.exec(text)![1]!
      expect(policy).toContain(`'sha256-${hash('sha256', styleText, 'base64')}'`)
      expect(text).not.toMatch(/<script|<link|<img|<iframe|url\(|@import|\son\w+=|\sstyle=|javascript:/i)
      for (const [, id] of text.matchAll(/<input id="([^"]*)"/g)) expect(text).toContain(`<label for="${id}">`)
      expect(text).toMatch(/<html lang="en">/)
    }
  })

  it('keeps its cookies to itself, and to TLS where the service has it', async () => {
    await signIn(browser, 'ada@example.com')
    for (const name of ['mortise_browser', 'mortise_session'])
      expect(browser.attributes.get(name)).toBe(`Path=/; HttpOnly; SameSite=Lax; Max-Age=${30 * 86_400}`)
    const safe = await startTestNode(app, { MORTISE_ROLES: 'api', MORTISE_PUBLIC_URL: 'https://mortise.example.com' })
    try {
      const there = openBrowser(safe.url)
      const page = await there.get('/signin')
      const headers = { origin: 'https://mortise.example.com' }
      expect((await there.submit(page, { email: 'ada@example.com', password }, { headers })).status).toBe(303)
      for (const name of ['__Host-mortise_browser', '__Host-mortise_session'])
        expect(there.attributes.get(name)).toMatch(/^Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/)
    } finally {
      await safe.stop()
    }
  })
})

describe('an invite', () => {
  const invite = async (email: string, label?: string, role?: 'owner'): Promise<string> => {
    const { system } = app.testDatabase.database
    const { rows } = await sql<{ id: string }>`select org_id as id from projects where name = 'default'`.execute(system)
    if (label) await sql`update orgs set label = ${label} where id = ${rows[0]!.id}`.execute(system)
    const made = await app.call<{ link: string }>(
      'POST',
      `/orgs/${rows[0]!.id}/invites`,
      { email, role },
      { apiKey: null, headers: owner.headers },
    )
    expect(made.status).toBe(201)
    return pathOf(made.body.link)
  }
  const rolesOf = async (email: string) => {
    const { rows } = await sql<{ role: string; email_verified: boolean }>`
      select role, email_verified from builders join memberships on builder_id = id where email = ${email}`.execute(
      app.testDatabase.database.system,
    )
    return rows
  }

  it('makes an account of a newcomer, once; the name of the organisation is text', async () => {
    const link = await invite('new@example.com', 'A <b>&</b> "B"')
    const page = await browser.get(link)
    expect(page.text).toContain('new@example.com')
    expect(page.text).not.toContain('<b>&</b>')
    expect((await browser.submit(page, { password: 'short' })).status).toBe(400)
    expect(await rolesOf('new@example.com')).toEqual([])
    expect((await browser.submit(page, { name: 'New', password })).location).toBe('/console')
    expect(await rolesOf('new@example.com')).toEqual([{ role: 'member', email_verified: false }])
    const again = await openBrowser(app.url).get(link)
    expect([again.status, /already accepted/.test(again.text)]).toEqual([404, true])
  })

  it('says which role the person gets', async () => {
    const member = await browser.get(await invite('as-member@example.com'))
    expect(member.text).toContain('You join as a developer.')
    const page = await browser.get(await invite('as-owner@example.com', undefined, 'owner'))
    expect(page.text).toContain('You join as an owner.')
    await browser.submit(page, { name: 'Owner', password })
    expect(await rolesOf('as-owner@example.com')).toMatchObject([{ role: 'owner' }])
  })

  it('asks whoever has an account for its password, and takes no other', async () => {
    await signInBuilder(app, { email: 'known@example.com', password })
    const page = await browser.get(await invite('known@example.com'))
    expect(page.text).toContain('autocomplete="current-password"')
    expect(page.text).toContain('href="/signin/forgot"')
    expect((await browser.submit(page, { password: 'not the password' })).status).toBe(401)
    expect(await rolesOf('known@example.com')).toEqual([])
    expect((await browser.submit(page, { password })).status).toBe(303)
    expect(await rolesOf('known@example.com')).toMatchObject([{ role: 'member' }])
  })

  it('is one click for whoever is signed in, and not for somebody else who is', async () => {
    await signInBuilder(app, { email: 'here@example.com', password })
    await signIn(browser, 'here@example.com')
    const link = await invite('here@example.com')
    const other = openBrowser(app.url)
    await signIn(other, 'ada@example.com')
    const theirs = await other.get(link)
    expect(theirs.text).toContain('signed in as <strong>ada@example.com</strong>')
    expect((await other.submit(theirs)).status).toBe(401)
    expect(await rolesOf('here@example.com')).toEqual([])
    expect((await browser.submit(await browser.get(link))).location).toBe('/console')
    expect(await rolesOf('here@example.com')).toMatchObject([{ role: 'member' }])
  })

  it('that is used twice at the same moment makes one account', async () => {
    const link = await invite('twice@example.com')
    const other = openBrowser(app.url)
    const [mine, theirs] = [await browser.get(link), await other.get(link)]
    const answers = await Promise.all([browser.submit(mine, { password }), other.submit(theirs, { password })])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404])
    expect(await rolesOf('twice@example.com')).toHaveLength(1)
  })

  it('that is unknown or too old admits nobody', async () => {
    const link = await invite('late@example.com')
    const page = await browser.get(link)
    expect((await browser.get('/signin/invite')).status).toBe(404)
    expect((await browser.get(`/signin/invite?token=${'x'.repeat(64)}`)).status).toBe(404)
    app.clock.advance(15 * 86_400_000)
    expect((await browser.submit(page, { password })).text).toContain('expired')
    expect(await rolesOf('late@example.com')).toEqual([])
  })
})
