import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Browser, openBrowser, type Shown } from '../../../../testkit/browser.ts'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { createAuthenticator, type TestAuthenticator } from './authenticator.testkit.ts'
import { createPerson, type Person, password } from './factors.testkit.ts'
import { passkeySite } from './passkeys.ts'

const publicUrl = 'https://mortise.example.com'
let app: TestApp
let person: Person
let authenticator: TestAuthenticator
let people = 0
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_PUBLIC_URL: publicUrl } })
})
afterAll(() => app?.stop())
beforeEach(async () => {
  person = await createPerson(app, `ada-${++people}@example.com`)
  authenticator = createAuthenticator(publicUrl)
  await sql`delete from sign_in_attempts`.execute(app.testDatabase.database.system)
})

type Options = { challenge: string; rp: { id: string }; rpId: string; excludeCredentials?: { id: string }[] }
type Changes = Parameters<TestAuthenticator['create']>[1]
const begin = async () =>
  (await person.call<{ options: Options }>('POST', '/my-info/factors:beginPasskey')).body.options
const confirm = (credential: unknown) =>
  person.call<{ factor: { id: string } }>('POST', '/my-info/factors:confirmPasskey', { credential })
const enroll = async (changes?: Changes) => await confirm(authenticator.create(await begin(), changes))

/** A browser whose person has entered the password. */
async function passwordEntered(): Promise<{ browser: Browser; page: Shown; options: Options }> {
  const browser = openBrowser(app.url, { origin: publicUrl })
  const entered = await browser.submit(await browser.get('/signin'), { email: person.email, password }, headers)
  expect(entered.location).toBe('/signin/factor')
  const page = await browser.get('/signin/factor')
  return { browser, page, options: optionsOf(page) }
}
const headers = { headers: { origin: publicUrl } }
const optionsOf = (page: Shown): Options => JSON.parse(/id="data">(.*?)<\/script>/s.exec(page.text)![1]!).options
const send = (browser: Browser, page: Shown, credential: unknown) =>
  browser.submit(page, { response: JSON.stringify(credential) }, headers)

describe('setting up', () => {
  it('takes the response of an authenticator, and shows recovery codes', async () => {
    const answer = await enroll()
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ factor: { kind: 'passkey', name: 'Passkey' }, recoveryCodes: { length: 10 } })
    expect((await begin()).excludeCredentials).toMatchObject([{ id: authenticator.id }])
  })

  it.each<[string, Changes]>([
    ['another site', { origin: 'https://evil.example' }],
    ['another host', { rpId: 'evil.example' }],
  ])('refuses a response for %s', async (_, changes) => {
    expect((await enroll(changes)).body.context.code).toBe('factor-refused')
  })

  it('refuses a response to another challenge, of another session, and to one that was used', async () => {
    const first = await begin()
    const second = await begin()
    expect((await confirm(authenticator.create(first))).body.context.code).toBe('factor-refused')
    const created = authenticator.create(second)
    expect((await confirm(created)).status).toBe(201)
    expect((await confirm(created)).body.context.code).toBe('factor-not-begun')
  })

  it('refuses the passkey of another account', async () => {
    await enroll()
    person = await createPerson(app, `eve-${people}@example.com`)
    expect((await enroll()).body.context.code).toBe('factor-refused')
  })

  it('verifies no certificates of an attestation, which could name addresses to fetch', async () => {
    const attStmt = new Map<string, unknown>([
      ['alg', -7],
      ['sig', new Uint8Array(64)],
      ['x5c', [new Uint8Array(500)]],
    ])
    expect((await enroll({ attestation: { fmt: 'packed', attStmt } })).status).toBe(201)
  })

  it.each([
    ['nothing', {}],
    [
      'text that is no CBOR',
      { id: 'a', rawId: 'a', type: 'public-key', response: { clientDataJSON: 'e30', attestationObject: 'AAAA' } },
    ],
    [
      'no base64',
      { id: '💣', rawId: '💣', type: 'public-key', response: { clientDataJSON: '💣', attestationObject: '💣' } },
    ],
  ])('refuses %s with a problem', async (_, credential) => {
    await begin()
    expect((await confirm(credential)).status).toBe(400)
  })
})

describe('the second step', () => {
  it('takes a signature of the passkey', async () => {
    await enroll()
    const { browser, page, options } = await passwordEntered()
    expect(page.text).toContain('Use your passkey')
    const answer = await send(browser, page, authenticator.use(options))
    expect([answer.status, answer.location]).toEqual([303, '/console'])
    expect((await browser.get('/signin/done')).text).toContain(person.email)
  })

  it.each<[string, Parameters<TestAuthenticator['use']>[1]]>([
    ['made for another site', { origin: 'https://evil.example' }],
    ['made for another host', { rpId: 'evil.example' }],
  ])('refuses a signature that was %s', async (_, changes) => {
    await enroll()
    const { browser, page, options } = await passwordEntered()
    expect((await send(browser, page, authenticator.use(options, changes))).status).toBe(401)
  })

  it('refuses the signature of another sign-in, of another passkey, and of a copied one', async () => {
    await enroll()
    const first = await passwordEntered()
    const second = await passwordEntered()
    const { browser, page, options } = second
    expect((await send(browser, page, authenticator.use(first.options))).status).toBe(401)
    const other = createAuthenticator(publicUrl)
    expect(
      (await send(browser, page, { ...other.use(options), id: authenticator.id, rawId: authenticator.id })).status,
    ).toBe(401)
    expect((await send(browser, page, authenticator.use(options, { counter: 9 }))).status).toBe(303)
    const third = await passwordEntered()
    expect((await send(third.browser, third.page, authenticator.use(third.options, { counter: 9 }))).status).toBe(401)
  })

  it('lets the API say that a browser is needed', async () => {
    await enroll()
    const answer = await app.call('POST', '/sessions', { email: person.email, password }, { apiKey: null })
    expect(answer.body).toMatchObject({
      context: { code: 'second-factor-required', factors: ['passkey', 'recoveryCode'] },
    })
  })

  it('runs one script, which its policy allows by its hash', async () => {
    await enroll()
    const { page } = await passwordEntered()
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; form-action 'self'/,
    )
    expect(page.text.match(/<script>/g)).toHaveLength(1)
  })
})

describe('the address of the service', () => {
  it.each([
    ['https://mortise.example.com', 'mortise.example.com'],
    ['http://localhost:4100', 'localhost'],
    ['http://mortise.example.com', undefined],
    ['https://192.0.2.1', undefined],
    ['https://[2001:db8::1]', undefined],
  ])('%s: passkeys belong to %s', (url, rpId) => {
    expect(passkeySite(url)?.rpId).toBe(rpId)
  })
})
