import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Answer,
  type SeenRequest,
  startServer,
  type TestServer,
} from '../../../../../../providers/src/testing/http-server.testkit.ts'
import { authorizationClients } from '../../../../testkit/authorization-server.ts'
import type { Browser, Shown } from '../../../../testkit/browser.ts'
import { type ConnectingKit, publicUrl, startConnectingKit } from '../connecting.testkit.ts'
import { connectProviders } from './connect-page.testkit.ts'

/** The page on which a customer connects an account, as a browser without scripts sees it. */

let kit: ConnectingKit
let provider: TestServer
/** What the provider answers, by path; a test may put its own. */
let answers: Record<string, (request: SeenRequest) => Answer>
let groups = 0
let groupRef = ''

const secret = 'the-good-secret'
const isGood = ({ headers }: SeenRequest) => {
  const sent = headers['x-key'] ?? headers['authorization'] ?? ''
  const basic = Buffer.from(String(sent).replace(/^Basic /, ''), 'base64').toString()
  return sent === secret || sent === `Bearer ${secret}` || basic === `ada:${secret}`
}

beforeAll(async () => {
  provider = await startServer((request) => answers[request.url.pathname]?.(request) ?? { status: 404 })
  kit = await startConnectingKit({ providers: (server) => connectProviders(provider.origin, server) })
  await kit.makeApp('plain')
  await kit.makeApp('several')
  await kit.makeApp('stepper', { clientId: 'an-app', clientSecret: 'a-secret', scopes: [] })
}, 60_000)
afterAll(async () => {
  await kit?.stop()
  await provider?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  groupRef = `page-${++groups}`
  answers = {
    '/me': (request) => (isGood(request) ? { status: 200, body: {} } : { status: 401 }),
    '/token': () => ({ status: 200, body: { access_token: secret } }),
  }
})

interface Session {
  id: string
  url: string
  connectionId?: string
}
interface Connection {
  id: string
  status: string
  authScheme: string
  providerWorkspaceRef?: string
  providerMetadata?: Record<string, { value: string }>
}
const sessions = '/projects/default/connect-sessions'
const ask = (body: object) => kit.app.call<Session>('POST', sessions, { groupRef, consumerRef: 'ada', ...body })
async function open(body: object): Promise<{ session: Session; path: string; browser: Browser; page: Shown }> {
  const { status, body: session } = await ask(body)
  expect(status, JSON.stringify(session)).toBe(201)
  expect(session.url).toMatch(new RegExp(`^${publicUrl}/connect/[A-Za-z0-9_-]{43}$`))
  const path = `${new URL(session.url).pathname}/form`
  const browser = kit.browser()
  return { session, path, browser, page: await browser.get(path) }
}
const connections = async () =>
  (await kit.app.call<Connection[]>('GET', `/projects/default/connections?groupRef=${groupRef}`)).body
const found = async (id: string) => (await kit.app.call<Session>('GET', `${sessions}/${id}`)).body
const alertOf = ({ text }: Shown) => /role="alert">([^<]*)</.exec(text)?.[1]
const faultsOf = ({ text }: Shown) =>
  Object.fromEntries([...text.matchAll(/class="fault" id="(.*?)-fault">([^<]*)</g)].map(([, id, fault]) => [id, fault]))
const inputOf = ({ text }: Shown, name: string) =>
  new RegExp(`<(?:input|select|textarea)[^>]* name="${name.replaceAll('.', '\\.')}"[^>]*>`).exec(text)?.[0]
/** Where the page goes on to. */
const onwards = ({ headers }: Shown) => headers.get('refresh')?.replace(/^0;url=/, '')
const pathOf = (url: string | undefined) => {
  const { pathname, search } = new URL(url!)
  return pathname + search
}

describe('each way to authenticate', () => {
  test.each([
    ['keyed', 'apiKey', { 'providerMetadata.workspace': ' acme ', apiKey: ` ${secret} ` }],
    ['basic', 'basic', { 'basicAuth.username': 'ada', 'basicAuth.password': secret }],
    [
      'machine',
      'oauth2/clientCredentials',
      {
        'oauth2ClientCredentials.clientId': 'basic',
        'oauth2ClientCredentials.clientSecret': authorizationClients.basic,
      },
    ],
    [
      'person',
      'oauth2/password',
      {
        'oauth2PasswordCredentials.username': 'ann',
        'oauth2PasswordCredentials.password': ' spaced ',
        'oauth2PasswordCredentials.clientId': 'basic',
        'oauth2PasswordCredentials.clientSecret': authorizationClients.basic,
        'oauth2PasswordCredentials.scopes': 'contacts.read',
      },
    ],
    [
      'custom',
      'apiKey',
      {
        'customAuth.region': 'eu',
        'customAuth.account': 'a',
        'customAuth.key': secret,
        'customAuth.document': '{"a": 1}',
      },
    ],
    ['nothing', 'none', {}],
    ['exchanger', 'apiKey', { 'customAuth.key': secret }],
  ] as const)('%s: what is typed connects the account (%s)', async (name, authScheme, fields) => {
    kit.server.people.set('ann', ' spaced ')
    const { session, path, browser, page } = await open({ provider: name })
    expect(page.status).toBe(200)
    const sent = await browser.submit(page, fields)
    expect([sent.status, alertOf(sent), faultsOf(sent)]).toEqual([303, undefined, {}])
    expect(sent.location).toBe(path)
    const [connection, ...others] = await connections()
    expect(others).toEqual([])
    expect(connection).toMatchObject({ authScheme, ...(name === 'keyed' && { providerWorkspaceRef: 'acme' }) })
    expect(connection?.status).not.toBe('bad_credentials')
    expect(await found(session.id)).toMatchObject({ connectionId: connection?.id, provider: name, groupRef })
    const end = await browser.get(path)
    expect([end.status, end.text]).toEqual([200, expect.stringContaining('is connected</h1>')])
    expect(end.text).not.toContain('<form')
    // Also for the form that is still open somewhere.
    expect((await browser.submit(page, fields)).text).toContain('is connected</h1>')
  })

  test('OAuth goes through the provider in the same window, and comes back to the page', async () => {
    const { session, path, browser, page } = await open({ provider: 'plain' })
    const sent = await browser.submit(page)
    expect(sent.status).toBe(200)
    const atProvider = await browser.get(pathOf(onwards(sent)))
    expect(atProvider.status).toBe(303)
    const back = await browser.get(await kit.grant(atProvider.location!))
    expect([back.status, back.location]).toEqual([303, path])
    expect((await browser.get(path)).text).toContain('plain is connected</h1>')
    const [connection] = await connections()
    expect(connection).toMatchObject({ authScheme: 'oauth2/authorizationCode', status: 'working' })
    expect((await found(session.id)).connectionId).toBe(connection?.id)
  })

  test('whoever turns back at the provider is told on the page, and can try again', async () => {
    const { path, browser, page } = await open({ provider: 'plain' })
    const away = await browser.get(pathOf(onwards(await browser.submit(page))))
    const state = new URL(away.location!).searchParams.get('state')!
    const back = await browser.get(`/callbacks/v1/oauth?${new URLSearchParams({ state, error: 'access_denied' })}`)
    expect([back.status, back.location]).toEqual([303, path])
    const again = await browser.get(path)
    expect(alertOf(again)).toBe('Access to plain was not granted.')
    const onceMore = await browser.get(pathOf(onwards(await browser.submit(again))))
    await browser.get(await kit.grant(onceMore.location!))
    expect((await browser.get(path)).text).toContain('plain is connected</h1>')
  })

  test('a conversation goes through the provider’s page, in the browser that began it', async () => {
    const { session, path, browser, page } = await open({ provider: 'stepper' })
    const sent = await browser.submit(page, { 'customAuth.account': 'a-1' })
    const away = new URL(onwards(sent)!)
    expect(away.pathname).toBe('/consent')
    const back = `/callbacks/v1/custom-auth/default?${new URLSearchParams({ state: away.searchParams.get('state')!, code: 'c' })}`
    expect((await kit.browser().get(back)).status).toBe(400)
    const returned = await browser.get(back)
    expect([returned.status, returned.location]).toEqual([303, path])
    expect((await browser.get(path)).text).toContain('is connected</h1>')
    expect(await connections()).toEqual([expect.objectContaining({ id: (await found(session.id)).connectionId })])
    expect((await browser.get(back)).status).toBe(400)
  })
})

describe('what is wrong', () => {
  test('is said at the fields, with everything kept but secrets', async () => {
    const { browser, page } = await open({ provider: 'custom' })
    const sent = await browser.submit(page, {
      'customAuth.region': 'mars',
      'customAuth.account': 'a "quoted" <account>',
      'customAuth.key': 'typed-in-vain',
      'customAuth.document': '{"private": "typed-in-vain"',
    })
    expect([sent.status, alertOf(sent)]).toEqual([400, 'Check the highlighted fields.'])
    expect(faultsOf(sent)).toEqual({ 'customAuth-region': 'Choose an option.' })
    const more = await browser.submit(sent, {
      'customAuth.region': 'eu',
      'customAuth.account': 'a "quoted" <account>',
      'customAuth.key': '',
      'customAuth.document': '',
    })
    expect(faultsOf(more)).toEqual({
      'customAuth-key': 'Key is required.',
      'customAuth-document': 'Document is required.',
    })
    expect(more.text).toContain('<option value="eu" selected>')
    expect(inputOf(more, 'customAuth.account')).toContain('value="a &#34;quoted&#34; &#60;account&#62;"')
    expect(inputOf(more, 'customAuth.key')).toMatch(
      /type="password".*aria-describedby="customAuth-key-fault".*aria-invalid="true"/,
    )
    expect(sent.text + more.text).not.toContain('typed-in-vain')
    expect(await connections()).toEqual([])
    const shaped = await browser.submit(more, {
      'customAuth.region': 'eu',
      'customAuth.account': 'a',
      'customAuth.key': 'k',
      'customAuth.document': 'no object',
    })
    expect(faultsOf(shaped)).toEqual({ 'customAuth-document': expect.stringContaining('must be a JSON object') })
  })

  test('an address that the service must not speak to is refused at its field', async () => {
    const { browser, page } = await open({ provider: 'placed' })
    const sent = await browser.submit(page, { 'providerMetadata.url': 'http://169.254.169.254/', apiKey: 'k' })
    expect([sent.status, Object.keys(faultsOf(sent))]).toEqual([400, ['providerMetadata-url']])
    expect(inputOf(sent, 'providerMetadata.url')).toContain('value="http://169.254.169.254/"')
  })

  test('a refused credential leaves the page open until a good one comes', async () => {
    const { session, path, browser, page } = await open({ provider: 'keyed' })
    const fields = { 'providerMetadata.workspace': 'acme' }
    const refused = await browser.submit(page, { ...fields, apiKey: 'a-bad-secret' })
    expect([refused.status, alertOf(refused)]).toEqual([
      400,
      'Keyed refused this credential. The answer has the status 401. Check the credential and its permissions, and try again.',
    ])
    expect(refused.text).not.toContain('a-bad-secret')
    expect(await found(session.id)).not.toHaveProperty('connectionId')
    expect((await browser.submit(refused, { ...fields, apiKey: secret })).location).toBe(path)
    expect(await connections()).toEqual([expect.objectContaining({ status: 'working' })])
  })
})

describe('what the check found', () => {
  interface Checked {
    status: string
    lastCheck?: { outcome: string; reason?: string; time: string }
  }
  const checked = async () =>
    (await kit.app.call<Checked[]>('GET', `/projects/default/connections?groupRef=${groupRef}`)).body[0]
  const keyed = { 'providerMetadata.workspace': 'acme', apiKey: secret }

  test('a provider that accepts the credential: works', async () => {
    const { path, browser, page } = await open({ provider: 'keyed' })
    expect((await browser.submit(page, keyed)).location).toBe(path)
    expect((await browser.get(path)).text).toContain('Keyed is connected')
    expect(await checked()).toMatchObject({
      status: 'working',
      lastCheck: { outcome: 'works', time: expect.any(String) },
    })
  })

  test('a provider that refuses it: refused, with its own words, and without the credential', async () => {
    answers['/me'] = () => ({ status: 401, body: { message: `The key ${secret} has expired` } })
    const { browser, page } = await open({ provider: 'keyed' })
    const sent = await browser.submit(page, keyed)
    expect([sent.status, alertOf(sent)]).toEqual([400, expect.stringMatching(/^Keyed refused .*has expired/)])
    const connection = await checked()
    expect(connection).toMatchObject({ status: 'bad_credentials', lastCheck: { outcome: 'refused' } })
    for (const text of [sent.text, JSON.stringify(connection)]) expect(text).not.toContain(secret)
  })

  test.each<[string, () => Answer, RegExp]>([
    ['a web page', () => ({ status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }), /web page/],
    ['a failure', () => ({ status: 503 }), /status 503/],
    ['nothing that is there', () => ({ status: 404 }), /status 404/],
  ])('a provider that answers with %s: could not be reached, and the page stays', async (_, answer, reason) => {
    answers['/me'] = answer
    const { session, browser, page } = await open({ provider: 'keyed' })
    const sent = await browser.submit(page, keyed)
    expect([sent.status, alertOf(sent)]).toEqual([400, expect.stringMatching(/^Keyed could not be reached.*try again/)])
    expect(alertOf(sent)).toMatch(reason)
    expect(await found(session.id)).not.toHaveProperty('connectionId')
    expect(await checked()).toMatchObject({ status: 'created', lastCheck: { outcome: 'unreachable' } })
  })

  test('a provider without a health check: not checked, and the page says so', async () => {
    const redirectUrl = 'https://app.example/connected'
    const { path, browser, page } = await open({ provider: 'nothing', redirectUrl })
    await browser.submit(page)
    const end = await browser.get(path)
    expect(end.text).toContain('Nothing has no health check')
    expect(new URL(onwards(end)!).searchParams.get('check')).toBe('notChecked')
    expect(await checked()).toMatchObject({ status: 'created', lastCheck: { outcome: 'notChecked' } })
  })
})

describe('the way back', () => {
  test('leads where the caller of the API said, whatever the page is asked for', async () => {
    const redirectUrl = 'https://app.example/connected?tenant=1&status=mine'
    const { path, browser, page } = await open({ provider: 'nothing', redirectUrl })
    await browser.submit(page, { redirectUrl: 'https://evil.example/' })
    const end = await browser.get(`${path}?redirectUrl=https://evil.example/`)
    const [connection] = await connections()
    expect(onwards(end)).toBe(
      `https://app.example/connected?tenant=1&status=${connection?.status}&connectionId=${connection?.id}&check=notChecked`,
    )
    expect(end.text).not.toContain('evil')
  })

  test.each([
    'http://app.example/',
    'javascript:alert(1)',
    'https://user@app.example/',
    '//app.example',
    'data:text/html,x',
    'http://localhost.app.example/',
  ])('%s is refused', async (redirectUrl) => {
    const { status, body } = await ask({ provider: 'nothing', redirectUrl })
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ issues: [expect.objectContaining({ name: 'redirectUrl' })] }),
    ])
  })
})

describe('the name of the application', () => {
  const rename = (appName: string) =>
    kit.app.call('PATCH', '/projects/default', { updateMask: ['appName'], project: { appName } })
  const titleOf = ({ text }: { text: string }) => /<title>(.*)<\/title>/.exec(text)?.[1]

  test('is in the title, the heading and the frame of every page, in place of Mortise', async () => {
    await rename('Acme <CRM>')
    const escaped = 'Acme &#60;CRM&#62;'
    const { browser, page } = await open({ provider: 'keyed', groupName: 'Gadgets Ltd' })
    expect(titleOf(page)).toBe(`Connect Keyed to ${escaped} · ${escaped}`)
    expect(page.text).toContain(`<h1>Connect Keyed to ${escaped}</h1>`)
    expect(page.text).toContain(`<strong>${escaped}</strong> will use your account for <strong>Gadgets Ltd</strong>.`)
    const done = await browser.submit(page, { 'providerMetadata.workspace': 'acme', apiKey: secret })
    const end = await browser.get(done.location!)
    expect(titleOf(end)).toBe(`Keyed is connected · ${escaped}`)
    for (const { text } of [page, end]) expect(text).not.toMatch(/<title>.*Mortise|<span>Mortise/)
  })

  test('is left out while the builder has chosen none', async () => {
    await rename('default')
    const { page } = await open({ provider: 'keyed' })
    expect(titleOf(page)).toBe('Connect Keyed · Mortise')
    expect(page.text).toContain('<p>Your account will be used for <strong>')
  })
})

describe('a connection that is there', () => {
  test('gets a new credential, keeps its id and its workspace, and is asked for nothing that is known', async () => {
    const first = await open({ provider: 'keyed' })
    await first.browser.submit(first.page, { 'providerMetadata.workspace': 'acme', apiKey: secret })
    const [{ id } = { id: '' }] = await connections()
    const { browser, page, session } = await open({ provider: 'keyed', connectionId: id })
    expect(page.text).toContain('Reconnect Keyed')
    expect(inputOf(page, 'providerMetadata.workspace')).toBeUndefined()
    const sent = await browser.submit(page, { apiKey: secret, 'providerMetadata.workspace': 'other' })
    expect([sent.status, alertOf(sent), faultsOf(sent)]).toEqual([303, undefined, {}])
    expect(await connections()).toEqual([expect.objectContaining({ id, providerWorkspaceRef: 'acme' })])
    expect((await found(session.id)).connectionId).toBe(id)
  })

  test('is authorised again by OAuth', async () => {
    for (const again of [false, true]) {
      const [known] = await connections()
      const { browser, page } = await open({ provider: 'plain', ...(again && { connectionId: known?.id }) })
      const away = await browser.get(pathOf(onwards(await browser.submit(page))))
      await browser.get(await kit.grant(away.location!))
    }
    expect(await connections()).toEqual([expect.objectContaining({ status: 'working' })])
  })

  test('of somebody else is none', async () => {
    const first = await open({ provider: 'nothing' })
    await first.browser.submit(first.page)
    const [{ id } = { id: '' }] = await connections()
    for (const change of [{ groupRef: 'another' }, { consumerRef: 'bob' }, { provider: 'keyed' }]) {
      const { status, body } = await ask({ provider: 'nothing', connectionId: id, ...change })
      expect([status, body]).toEqual([
        400,
        expect.objectContaining({ issues: [expect.objectContaining({ name: 'connectionId' })] }),
      ])
    }
  })
})

describe('several ways', () => {
  test('the preferred one is shown, the others are a link away', async () => {
    const { path, browser, page } = await open({ provider: 'several' })
    expect(page.text).toContain('Continue to Several')
    expect(page.text).toContain(`href="${path}?with&#61;apiKey"`.replace('&#61;', '='))
    const other = await browser.get(`${path}?with=apiKey`)
    expect(inputOf(other, 'apiKey')).toContain('type="password"')
    expect((await browser.submit(other, { apiKey: secret })).status).toBe(303)
    expect(await connections()).toEqual([expect.objectContaining({ authScheme: 'apiKey' })])
  })

  test('a way that no provider app opens is not offered; where it is the only one, nothing is', async () => {
    const { page } = await open({ provider: 'appless' })
    expect(page.text).not.toContain('Continue to')
    expect(inputOf(page, 'apiKey')).toBeDefined()
    const { status, body } = await ask({ provider: 'pkce' })
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ issues: [expect.objectContaining({ name: 'providerAppId' })] }),
    ])
  })
})

describe('hostile visitors', () => {
  test('a link that was changed, has expired or never was leads nowhere, and they look the same', async () => {
    const { path, browser, page } = await open({ provider: 'keyed' })
    const changed = path.replace(/.\/form$/, (end) => (end.startsWith('A') ? 'B/form' : 'A/form'))
    const pages = [
      await browser.get(changed),
      await browser.get('/connect/short/form'),
      await browser.submit({ ...page, text: page.text.replaceAll(path, changed) }),
    ]
    kit.app.clock.advance(31 * 60_000)
    pages.push(await browser.get(path), await browser.submit(page, { apiKey: secret }))
    kit.app.clock.advance(-31 * 60_000)
    expect(new Set(pages.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(pages[0]?.status).toBe(404)
    expect(await connections()).toEqual([])
  })

  test('a form without its token, of another browser or of another site does nothing', async () => {
    const { browser, page } = await open({ provider: 'keyed' })
    const fields = { 'providerMetadata.workspace': 'acme', apiKey: secret }
    const tries = [
      await browser.submit(page, { ...fields, form: '' }),
      await browser.submit(page, { ...fields, form: 'x'.repeat(43) }),
      await kit.browser().submit(page, fields),
      await browser.submit(page, fields, { headers: { origin: 'https://evil.example' } }),
      await browser.submit(page, fields, { headers: { 'sec-fetch-site': 'cross-site' } }),
    ]
    expect(tries.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    expect(await connections()).toEqual([])
  })

  test('nothing that comes in is markup, nothing is loaded, framed or kept', async () => {
    const groupName = '<script>alert(1)</script>"&'
    const { browser, path } = await open({ provider: 'keyed', groupName })
    const page = await browser.get(`${path}?with=%22%3E%3Cscript%3E`)
    const sent = await browser.submit(page, { 'providerMetadata.workspace': '"><img src=x onerror=alert(1)>' })
    for (const { text, headers } of [page, sent]) {
      expect(text).not.toMatch(/<script|<img|javascript:/)
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      )
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('same-origin')
    }
    // A link of the provider’s file that is no page is none.
    expect(page.text).not.toContain('javascript')
    expect(browser.attributes.get('mortise_connect')).toMatch(/HttpOnly; SameSite=Lax/)
  })

  test('values that are too long, too many or not declared do not get through', async () => {
    const { browser, page } = await open({ provider: 'keyed' })
    const long = await browser.submit(page, { 'providerMetadata.workspace': 'a'.repeat(201), apiKey: secret })
    expect(faultsOf(long)).toEqual({ 'providerMetadata-workspace': 'Workspace can have at most 200 characters.' })
    expect((await browser.submit(page, { apiKey: 'a'.repeat(300_000) })).status).toBe(413)
    await browser.submit(page, {
      'providerMetadata.workspace': 'acme',
      apiKey: secret,
      'providerMetadata.admin': 'yes',
      groupRef: 'another',
      __proto__: 'x',
    })
    const [connection] = await connections()
    expect(Object.keys(connection?.providerMetadata ?? {})).toEqual(['workspace'])
  })

  test('no secret and no link is in a log, a row or an answer after the first', async () => {
    const { session, path, browser, page } = await open({ provider: 'keyed', consumerName: 'ada@acme.example' })
    const fields = { 'providerMetadata.workspace': 'acme' }
    await browser.submit(page, { ...fields, apiKey: 'never-shown-secret' })
    const token = path.split('/')[2]!
    const { rows } = await sql<{
      row: string
    }>`select s::text as row from connect_sessions s where id = ${session.id}`.execute(kit.app.db.sql)
    const kept = [...rows.map(({ row }) => row), ...kit.app.logs, JSON.stringify(await found(session.id))].join('\n')
    expect(kept).not.toContain(token)
    expect(kept).not.toContain('never-shown-secret')
    expect(kept).not.toContain('ada@acme.example')
  })
})

test('a session whose time is over is not there any more', async () => {
  const { session } = await open({ provider: 'nothing' })
  kit.app.clock.advance(41 * 60_000)
  expect(await kit.app.call('GET', `${sessions}/${session.id}`)).toMatchObject({
    status: 404,
    body: { context: { code: 'connect-session-not-found' } },
  })
  kit.app.clock.advance(-41 * 60_000)
})
