import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Browser, openBrowser, type Shown } from '../../../testkit/browser.ts'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'
import { createPerson, enrollTotp } from './factors/factors.testkit.ts'
import { clientSecret, type IdentityProvider, startIdentityProvider } from './identity-provider.testkit.ts'

const publicUrl = 'https://mortise.example.com'
const password = 'correct horse battery'
let provider: IdentityProvider
let app: TestApp
let env: Record<string, string>
let browser: Browser

beforeAll(async () => {
  provider = await startIdentityProvider(`${publicUrl}/signin/oidc/callback`)
  env = {
    MORTISE_ROLES: 'api',
    MORTISE_PUBLIC_URL: publicUrl,
    MORTISE_OIDC_ISSUER: provider.issuer,
    MORTISE_OIDC_CLIENT_ID: 'mortise',
    MORTISE_OIDC_CLIENT_SECRET: clientSecret,
    MORTISE_OIDC_NAME: 'Example <ID>',
  }
  app = await startTestApp({ env })
  await signInBuilder(app, { email: 'owner@example.com', role: 'owner', password })
})
afterAll(async () => {
  await app?.stop()
  await provider?.close()
})
beforeEach(() => {
  browser = openBrowser(app.url)
})

/** Begins at our page; answers where the provider sends the browser back to. */
async function comesBack(sub: string, next?: string, who = browser): Promise<string> {
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`
  const begun = await who.get(`/signin/oidc${query}`)
  expect(begun.status).toBe(303)
  return await provider.signIn(begun.location!, sub)
}

async function signIn(sub: string, next?: string): Promise<Shown> {
  return await browser.get(await comesBack(sub, next))
}

const person = (sub: string, email: string | undefined, more: Record<string, unknown> = {}) =>
  provider.people.set(sub, { ...(email !== undefined && { email }), email_verified: true, ...more })

const orgId = async () => {
  const { system } = app.testDatabase.database
  return (await system.selectFrom('projects').select('org_id').where('name', '=', 'default').executeTakeFirstOrThrow())
    .org_id
}
const invite = async (email: string) => {
  const { system } = app.testDatabase.database
  await sql`insert into invites (id, org_id, invited_email, mailed, created_by, expire_time)
            values (${app.app.services.newId()}, ${await orgId()}, ${email}, false, 'builder:x', now() + interval '1 day')`.execute(
    system,
  )
}
const builderOf = async (email: string) => {
  const { rows } = await sql<Record<string, unknown>>`
    select builders.id, idp_provider, idp_ref, email, email_verified, full_name, role
      from builders left join memberships on builder_id = builders.id where email = ${email}`.execute(
    app.testDatabase.database.system,
  )
  return rows
}
const isIn = async () => (await browser.get('/signin/done')).status === 200

describe('somebody who is let in', () => {
  it('with a second factor here is not asked for it, because the provider asks', async () => {
    const careful = await createPerson(app, 'careful@example.com')
    await enrollTotp(app, careful)
    person('sub-careful', 'careful@example.com')
    expect(await signIn('sub-careful')).toMatchObject({ status: 303, location: '/console' })
    expect(await isIn()).toBe(true)
    const system = app.testDatabase.database.system
    const { rows } = await sql<{ method: string }>`
      select method from sessions where builder_id = ${careful.builderId} and kind = 'browser'`.execute(system)
    expect(rows).toEqual([{ method: 'single-sign-on' }])
  })

  it('by an invite gets an account and its membership, goes on where they came from, and is known the next time', async () => {
    person('sub-1', 'Invited@Example.com', { name: 'In Vited', given_name: 'In' })
    await invite('invited@example.com')
    const answer = await signIn('sub-1', '/signin/cli?port=1')
    expect([answer.status, answer.location]).toEqual([303, '/signin/cli?port=1'])
    expect(await isIn()).toBe(true)
    const [builder] = await builderOf('invited@example.com')
    expect(builder).toMatchObject({
      idp_provider: provider.issuer,
      idp_ref: 'sub-1',
      email_verified: true,
      full_name: 'In Vited',
      role: 'member',
    })
    person('sub-1', 'renamed@example.com')
    browser = openBrowser(app.url)
    expect((await signIn('sub-1')).location).toBe('/console')
    expect((await browser.get('/signin/done')).text).toContain('invited@example.com')
    expect(await builderOf('renamed@example.com')).toEqual([])
  })

  it('from the page of an invite ends where everybody ends who accepted one', async () => {
    const { headers } = await signInBuilder(app, { email: 'owner@example.com' })
    const email = 'linked@example.com'
    const made = await app.call<{ link: string }>(
      'POST',
      `/orgs/${await orgId()}/invites`,
      { email },
      { apiKey: null, headers },
    )
    const link = made.body.link.slice(publicUrl.length)
    const [, href] = /href="(\/signin\/oidc[^"]*)"/.exec((await browser.get(link)).text)!
    const begun = await browser.get(href!.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))))
    person('sub-5', email)
    const back = await browser.get(await provider.signIn(begun.location!, 'sub-5'))
    expect(back.location).toBe(link)
    expect((await browser.get(link)).location).toBe('/console')
    expect(await builderOf(email)).toMatchObject([{ role: 'member' }])
  })

  it('by a claimed domain becomes a member', async () => {
    const { system } = app.testDatabase.database
    await sql`insert into claimed_domains (id, org_id, domain, verify_time)
              values (${app.app.services.newId()}, ${await orgId()}, 'claimed.example', now())`.execute(system)
    person('sub-2', 'somebody@claimed.example')
    expect((await signIn('sub-2')).status).toBe(303)
    expect(await builderOf('somebody@claimed.example')).toMatchObject([{ role: 'member', email_verified: true }])
  })

  it('by an account whose address is known to be theirs may use either way from then on', async () => {
    person('sub-3', 'owner@example.com')
    expect((await signIn('sub-3')).status).toBe(303)
    expect(await builderOf('owner@example.com')).toMatchObject([{ idp_ref: 'sub-3', role: 'owner' }])
    const other = openBrowser(app.url, { origin: publicUrl })
    const page = await other.get('/signin')
    expect(
      (await other.submit(page, { email: 'owner@example.com', password }, { headers: { origin: publicUrl } })).status,
    ).toBe(303)
  })

  it('by the password of the account in the same browser, where the address was never proven', async () => {
    await signInBuilder(app, { email: 'unproven@example.com', role: 'developer', password, emailVerified: false })
    person('sub-4', 'unproven@example.com')
    const refused = await signIn('sub-4')
    expect([refused.status, /Sign in with the password first/.test(refused.text)]).toEqual([403, true])
    expect(await isIn()).toBe(false)
    const page = await browser.get('/signin')
    await browser.submit(page, { email: 'unproven@example.com', password }, { headers: { origin: publicUrl } })
    expect((await signIn('sub-4')).status).toBe(303)
    expect(await builderOf('unproven@example.com')).toMatchObject([{ idp_ref: 'sub-4', email_verified: true }])
  })
})

describe('nobody else is let in', () => {
  const refused = async (sub: string, said: RegExp) => {
    const answer = await signIn(sub)
    expect(answer.status).toBe(403)
    expect(answer.text).toMatch(said)
    expect(answer.text).toContain('Example &#60;ID&#62;')
    expect(await isIn()).toBe(false)
  }

  it('whom nobody invited', async () => {
    person('sub-10', 'stranger@example.com')
    await refused('sub-10', /Ask an owner/)
    expect(await builderOf('stranger@example.com')).toEqual([])
  })

  it.each([
    ['that is not verified', { email_verified: false }],
    ['of which nothing is said', { email_verified: undefined }],
    ['that is verified in other words', { email_verified: 'true' }],
  ])('with an address %s', async (_, claims) => {
    const email = `unverified-${Object.values(claims)}@example.com`
    person('sub-11', email, claims)
    await invite(email)
    await refused('sub-11', /has not verified your email address/)
    expect(await builderOf(email)).toEqual([])
  })

  it('without an address', async () => {
    person('sub-12', undefined)
    await refused('sub-12', /has not verified/)
  })

  it('with the address of an account that another person of the provider has', async () => {
    person('sub-13', 'owner2@example.com')
    await invite('owner2@example.com')
    expect((await signIn('sub-13')).status).toBe(303)
    browser = openBrowser(app.url)
    person('sub-14', 'owner2@example.com')
    await refused('sub-14', /another identity/)
  })
})

describe('what comes back', () => {
  beforeAll(async () => {
    person('sub-20', 'again@example.com')
    await invite('again@example.com')
  })
  const stale = async (path: string, who = browser) => {
    const answer = await who.get(path)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Nothing was changed')
    expect(who.cookies.has('__Host-mortise_session')).toBe(false)
  }

  it('serves once', async () => {
    const path = await comesBack('sub-20')
    expect((await browser.get(path)).status).toBe(303)
    browser.cookies.delete('__Host-mortise_session')
    await stale(path)
  })

  it('of two at the same moment serves one', async () => {
    const path = await comesBack('sub-20')
    const answers = await Promise.all([browser.get(path), browser.get(path)])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400])
  })

  it('serves no other browser, and is not lost by its attempt', async () => {
    const path = await comesBack('sub-20')
    await stale(path, openBrowser(app.url))
    const other = openBrowser(app.url)
    await other.get('/signin')
    await stale(path, other)
    expect((await browser.get(path)).status).toBe(303)
  })

  it('with another state, none, or too late serves nobody', async () => {
    const path = await comesBack('sub-20')
    await stale(path.replace(/state=[^&]*/, 'state=another'))
    await stale(path.replace(/&?state=[^&]*/, ''))
    app.clock.advance(10 * 60_000 + 1)
    await stale(path)
  })

  it('as a refusal of the provider says so', async () => {
    const path = await comesBack('sub-20')
    await stale(`${path.replace(/code=[^&]*/, 'error=access_denied')}&error_description=%3Cscript%3E`)
  })

  it.each([
    [
      'the code of another sign-in',
      (path: string, other: string) => path.replace(/code=[^&]*/, /code=[^&]*/.exec(other)![0]),
    ],
    ['a made-up code', (path: string) => path.replace(/code=[^&]*/, 'code=made-up')],
    ['another issuer', (path: string) => path.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.example')],
    ['no issuer', (path: string) => path.replace(/&?iss=[^&]*/, '')],
    ['a state twice', (path: string) => `${path}&state=x`],
  ])('with %s lets nobody in', async (_, change) => {
    const [path, other] = [await comesBack('sub-20'), await comesBack('sub-20')]
    const changed = change(path, other)
    expect(changed).not.toBe(path)
    expect([400, 502]).toContain((await browser.get(changed)).status)
    expect(await isIn()).toBe(false)
  })

  it('goes nowhere else', async () => {
    for (const next of ['https://evil.example', '//evil.example', '/\\evil.example'])
      expect((await signIn('sub-20', next)).location).toBe('/console')
  })
})

describe('the provider', () => {
  it('is asked with state, nonce and a challenge, and has a button of its name', async () => {
    expect((await browser.get('/signin')).text).toContain('Continue with Example &#60;ID&#62;')
    const url = new URL((await browser.get('/signin/oidc')).location!)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'mortise',
      response_type: 'code',
      redirect_uri: `${publicUrl}/signin/oidc/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  it('that is away stops no start and no password, and is asked again', async () => {
    provider.down()
    const node = await startTestNode(app, env)
    try {
      const there = openBrowser(node.url)
      expect((await there.get('/signin')).status).toBe(200)
      const answer = await there.get('/signin/oidc')
      expect([answer.status, /is not available/.test(answer.text)]).toEqual([502, true])
      provider.up()
      expect((await there.get('/signin/oidc')).status).toBe(303)
    } finally {
      provider.up()
      await node.stop()
    }
  })

  it('that goes away between the two is no way in', async () => {
    const path = await comesBack('sub-20')
    provider.down()
    try {
      expect((await browser.get(path)).status).toBe(502)
      expect(await isIn()).toBe(false)
    } finally {
      provider.up()
    }
  })

  it('is reached through the address guard alone', async () => {
    const node = await startTestNode(app, { ...env, MORTISE_ALLOW_PRIVATE_NETWORK: '' })
    try {
      expect((await openBrowser(node.url).get('/signin/oidc')).status).toBe(502)
      expect(node.logs.join('\n')).toContain('failed to reach the identity provider')
    } finally {
      await node.stop()
    }
  })

  it('whose metadata names another issuer is refused', async () => {
    const node = await startTestNode(app, {
      ...env,
      MORTISE_OIDC_ISSUER: provider.issuer.replace('127.0.0.1', 'localhost'),
    })
    try {
      expect((await openBrowser(node.url).get('/signin/oidc')).status).toBe(502)
    } finally {
      await node.stop()
    }
  })

  it('tells its secrets to no log', async () => {
    person('sub-30', 'logged@example.com')
    await invite('logged@example.com')
    const path = await comesBack('sub-30')
    expect((await browser.get(path)).status).toBe(303)
    const code = new URLSearchParams(path.slice(path.indexOf('?'))).get('code')!
    const lost = await comesBack('sub-30')
    expect((await browser.get(lost.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.example'))).status).toBe(502)
    const unspent = new URLSearchParams(lost.slice(lost.indexOf('?'))).get('code')!
    const logs = app.logs.join('\n')
    expect(logs).toContain('the response of the identity provider is not valid')
    for (const secret of [code, unspent, clientSecret, browser.cookies.get('__Host-mortise_session')!])
      expect(logs).not.toContain(secret)
  })
})

it('without one there is no button and no page of it', async () => {
  const node = await startTestNode(app, { MORTISE_ROLES: 'api' })
  try {
    const there = openBrowser(node.url)
    expect((await there.get('/signin')).text).not.toContain('/signin/oidc')
    expect((await there.get('/signin/oidc')).status).toBe(404)
    expect((await there.get('/signin/oidc/callback?state=x&code=y')).status).toBe(404)
  } finally {
    await node.stop()
  }
})
