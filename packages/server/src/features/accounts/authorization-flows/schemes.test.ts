import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openBrowser } from '../../../testkit/browser.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

/** A provider with two authorization servers, at `/live` and `/sandbox`, and an API that knows the tokens of both. */

let app: TestApp
let provider: Server
let origin: string
let folder: string
/** What the provider was asked, with the credential as it came. */
const seen: string[] = []
let people = 0

interface Connection {
  id: string
  status: string
  authScheme: string
  schemeName?: string
}
interface Problem {
  issues: { name: string; detail: string; remedy: string }[]
}

const server = (name: string) => ({
  scheme: 'oauth2',
  grantType: 'authorizationCode',
  authUrl: `${origin}/${name}/authorize`,
  tokenUrl: `${origin}/${name}/token`,
})

beforeAll(async () => {
  provider = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider')
    const body = new URLSearchParams(await text(request))
    const key = request.headers['x-sandbox'] ?? request.headers['x-key'] ?? request.headers.authorization ?? ''
    const said = pathname.endsWith('/token') ? body.get('grant_type') : key
    seen.push(`${pathname} ${said}`.trim())
    response.setHeader('content-type', 'application/json')
    if (!pathname.endsWith('/token')) return response.end('{}')
    const name = pathname.split('/')[1]
    const tokens = {
      access_token: `${name}-token`,
      refresh_token: `${name}-refresh`,
      token_type: 'Bearer',
      expires_in: 60,
    }
    return response.end(JSON.stringify(tokens))
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  folder = await mkdtemp(join(tmpdir(), 'mortise-schemes-'))
  const file = {
    name: 'twins',
    displayName: 'Twins',
    baseUrl: origin,
    authentication: [
      server('live'),
      { ...server('sandbox'), schemeName: 'sandbox', tokenHeader: { name: 'X-Sandbox', prefix: 'Token ' } },
      { scheme: 'apiKey', attach: 'header', name: 'X-Key', prefix: 'first ' },
      { scheme: 'apiKey', schemeName: 'second', attach: 'header', name: 'X-Key', prefix: 'second ' },
      { scheme: 'none' },
    ],
    healthCheck: { path: '/me' },
  }
  await writeFile(join(folder, 'twins.yaml'), JSON.stringify(file))
  const redirectFields = { code: 'spapi_oauth_code' }
  const renamed = { name: 'renamed', baseUrl: origin, authentication: [{ ...server('live'), redirectFields }] }
  await writeFile(join(folder, 'renamed.yaml'), JSON.stringify(renamed))
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: folder } })
  const made = await app.call('POST', '/projects/default/provider-apps', {
    provider: 'twins',
    clientId: 'client',
    clientSecret: 'the-secret-of-the-client',
  })
  expect(made.status, JSON.stringify(made.body)).toBe(200)
})
afterAll(async () => {
  await app?.stop()
  provider?.closeAllConnections()
  provider?.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  seen.length = 0
})

const account = () => ({ provider: 'twins', groupRef: 'acme', consumerRef: `person-${++people}` })
const generate = <T = Connection>(more: object) =>
  app.call<T>('POST', '/projects/default/connections:generate?verify=true', { ...account(), ...more })
const get = async (id: string) => (await app.call<Connection>('GET', `/projects/default/connections/${id}`)).body
const refreshToken = { oauth2AuthorizationCode: { refreshToken: { token: 'given' } } }

describe('a connection keeps the scheme that it was made with', () => {
  it('so that its tokens are renewed, and its requests authenticated, as that scheme says', async () => {
    const { status, body } = await generate({ ...refreshToken, schemeName: 'sandbox' })
    expect({ status, body }).toMatchObject({ status: 201, body: { schemeName: 'sandbox' } })
    expect(seen).toEqual(['/sandbox/token refresh_token', '/me Token sandbox-token'])
    expect(await get(body.id)).toMatchObject({ status: 'working', schemeName: 'sandbox' })
  })

  it('which is the first that fits where it names none', async () => {
    expect((await generate(refreshToken)).body.schemeName).toBe('oauth2')
    expect((await generate({ apiKey: 'k' })).body.schemeName).toBe('none')
    expect((await generate({ apiKey: 'k', schemeName: 'apiKey' })).body.schemeName).toBe('apiKey')
    expect(seen).toEqual(['/live/token refresh_token', '/me Bearer live-token', '/me', '/me first k'])
  })

  it('of two of a kind, and none at all', async () => {
    expect((await generate({ apiKey: 'k', schemeName: 'second' })).body.authScheme).toBe('apiKey')
    const { body } = await generate({ apiKey: 'ignored', schemeName: 'none' })
    expect(body).toMatchObject({ authScheme: 'none', schemeName: 'none' })
    expect(seen).toEqual(['/me second k', '/me'])
  })

  it('when the same account is connected again, the new one', async () => {
    const same = account()
    const first = await generate({ ...same, apiKey: 'k', schemeName: 'apiKey' })
    const again = await generate({ ...same, apiKey: 'k', schemeName: 'second' })
    expect(again.body).toMatchObject({ id: first.body.id, schemeName: 'second' })
  })

  it.each([null, 'gone'])('and uses the first of its kind where it has none that the file knows: %s', async (name) => {
    const { body } = await generate({ ...refreshToken, schemeName: 'sandbox' })
    await sql`update connections set scheme_name = ${name} where id = ${body.id}`.execute(app.db.sql)
    seen.length = 0
    const mask = { updateMask: ['providerMetadata'], connection: { providerMetadata: {} } }
    await app.call('PATCH', `/projects/default/connections/${body.id}?verify=true`, mask)
    expect(seen).toEqual(['/me Bearer sandbox-token'])
  })
})

describe('a person grants access', () => {
  it('at the server of the scheme that was asked for, and the code goes there', async () => {
    const body = { projectIdOrName: 'default', ...account(), schemeName: 'sandbox', enableCSRFProtection: false }
    const begun = await app.call<string>('POST', '/oauth-connect', body)
    expect(begun.status, JSON.stringify(begun.body)).toBe(200)
    const url = new URL(begun.body)
    expect(url.pathname).toBe('/sandbox/authorize')
    const back = new URLSearchParams({ state: url.searchParams.get('state') ?? '', code: 'c' })
    expect((await openBrowser(app.url).get(`/callbacks/v1/oauth?${back}`)).status).toBe(200)
    expect(seen[0]).toBe('/sandbox/token authorization_code')
    const { consumerRef } = body
    const query = new URLSearchParams({ provider: 'twins', groupRef: 'acme', consumerRef })
    const { body: made } = await app.call<Connection[]>('GET', `/projects/default/connections?${query}`)
    expect(made).toMatchObject([{ schemeName: 'sandbox' }])
  })

  it('with a code of another name, where the file says so, and then never with `code`', async () => {
    const client = { provider: 'renamed', clientId: 'client', clientSecret: 'secret' }
    await app.call('POST', '/projects/default/provider-apps', client)
    for (const [name, code, isTaken] of [
      ['code', 'c', false],
      ['spapi_oauth_code', 'c', true],
      ['spapi_oauth_code', 'c'.repeat(8_192), true],
      ['spapi_oauth_code', 'c'.repeat(8_193), false],
    ] as const) {
      const body = { projectIdOrName: 'default', ...account(), provider: 'renamed', enableCSRFProtection: false }
      const url = new URL((await app.call<string>('POST', '/oauth-connect', body)).body)
      seen.length = 0
      const back = new URLSearchParams({ state: url.searchParams.get('state') ?? '', [name]: code })
      await openBrowser(app.url).get(`/callbacks/v1/oauth?${back}`)
      expect(seen[0]).toBe(isTaken ? '/live/token authorization_code' : undefined)
    }
  })

  it('on a page that offers each scheme by its name, or the one that was asked for alone', async () => {
    const session = async (more: object) => {
      const path = '/projects/default/connect-sessions'
      const { status, body } = await app.call<{ url: string }>('POST', path, { ...account(), ...more })
      expect(status, JSON.stringify(body)).toBeLessThan(300)
      return `${new URL(body.url).pathname}/form`
    }
    const browser = openBrowser(app.url)
    const all = await session({})
    const { text: page } = await browser.get(all)
    for (const name of ['sandbox', 'apiKey', 'second', 'none']) expect(page).toContain(`?with=${name}"`)
    expect(page).toContain('Twins in the browser (sandbox)')
    expect((await browser.get(`${all}?with=second`)).text).toContain('name="with" value="second"')
    expect((await browser.get(await session({ schemeName: 'second' }))).text).not.toContain('?with=')
  })
})

it('a name that the provider does not have is refused with those that it has', async () => {
  const unknown = { ...account(), schemeName: 'nothing' }
  const body = { projectIdOrName: 'default', ...unknown }
  const answers = [
    await generate<Problem>({ schemeName: 'nothing', apiKey: 'k' }),
    await app.call<Problem>('POST', '/oauth-connect', body),
    await app.call<Problem>('POST', '/custom-auth/connect', body),
    await app.call<Problem>('POST', '/projects/default/connect-sessions', unknown),
  ]
  for (const { status, body } of answers) {
    expect(status, JSON.stringify(body)).toBe(400)
    expect(body.issues).toContainEqual(
      expect.objectContaining({
        name: 'schemeName',
        remedy: 'Use oauth2, sandbox, apiKey, second, none, or leave it out.',
      }),
    )
  }
})

it('the catalogue lists the schemes of a provider with what each takes', async () => {
  const { body } = await app.call<{ schemes: { name: string; type: string; oauth2Opts?: { tokenURL: string } }[] }>(
    'GET',
    '/providers/twins',
  )
  expect(body.schemes.map(({ name, type, oauth2Opts }) => [name, type, oauth2Opts?.tokenURL])).toEqual([
    ['oauth2', 'oauth2', `${origin}/live/token`],
    ['sandbox', 'oauth2', `${origin}/sandbox/token`],
    ['apiKey', 'apiKey', undefined],
    ['second', 'apiKey', undefined],
    ['none', 'none', undefined],
  ])
})
