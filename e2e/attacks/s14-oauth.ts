import {
  asked as account,
  type ConnectingKit,
  hostileQueries,
  publicUrl,
  startConnectingKit,
} from '../../packages/server/src/features/accounts/authorization-flows/connecting.testkit.ts'
import type { Browser } from '../../packages/server/src/testkit/browser.ts'
import type { Attack } from './attack.ts'

/**
 * Connects accounts by answers of an authorization server that were used before, belong to another flow or browser,
 * come from another issuer, or carry HTML; and asks for ways back that lead to others. The server is `oidc-provider`.
 */

const html = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>'
const reflected = /alert\(|onerror|<img/
const evil = 'https://evil.example'

/** A request that has to be refused, and the browser that sends it: a new one unless it says another. */
interface Hostile {
  path: string
  browser?: Browser
}
type Prepare = (kit: ConnectingKit, groupRef: string) => Promise<Hostile>

export const attack: Attack = {
  id: 'S14',
  title: 'An answer that no honest authorization server sends connects nothing, and shows none of its HTML.',
  async run() {
    const faults: string[] = []
    const figures = { attempts: 0, connected: 0, accepted: 0, reflectedHtml: 0, redirectsElsewhere: 0 }
    const kit = await startConnectingKit()
    try {
      await kit.makeApp('plain')
      await kit.makeApp('told')
      for (const [index, [what, prepare]] of Object.entries(cases).entries()) {
        const groupRef = `hostile-${index}`
        const { path, browser = kit.browser() } = await prepare(kit, groupRef)
        const before = await connectionsOf(kit)
        const page = await browser.get(path)
        kit.server.answerTokens(undefined)
        figures.attempts++
        const connected = (await connectionsOf(kit)) !== before
        const isReflected = reflected.test(`${page.text}${JSON.stringify([...page.headers])}`)
        const isElsewhere = page.location !== null || page.text.includes('evil.example')
        if (connected) figures.connected++
        if (page.status < 400 || page.status >= 500) figures.accepted++
        if (isReflected) figures.reflectedHtml++
        if (isElsewhere) figures.redirectsElsewhere++
        if (connected || isReflected || isElsewhere || page.status !== 400)
          faults.push(`${what}: ${page.status}${connected ? ', connected' : ''}${isReflected ? ', reflected' : ''}.`)
      }
      for (const redirectUrl of waysBack) {
        const body = { provider: 'plain', groupRef: 'back', consumerRef: 'ada', redirectUrl }
        const { status } = await kit.app.call('POST', '/projects/default/connect-sessions', body)
        figures.attempts++
        if (status === 400) continue
        figures.redirectsElsewhere++
        faults.push(`the way back ${redirectUrl} is answered with ${status}.`)
      }
      const logged = kit.app.logs.join('\n')
      if (reflected.test(logged)) faults.push('HTML stands in the log.')
      // An honest person is connected: otherwise everything above could be refused for another reason.
      const honest = await honestly(kit)
      if (honest.status !== 200)
        faults.push(`an honest answer is answered with ${honest.status}: the attack proves nothing.`)
      return {
        passed: figures.connected + figures.accepted + figures.reflectedHtml + figures.redirectsElsewhere === 0,
        figures,
        faults,
      }
    } finally {
      await kit.stop()
    }
  },
}

const waysBack = [
  'http://app.example/',
  'javascript:alert(1)',
  'https://user@app.example/',
  '//app.example',
  'data:text/html,x',
  'http://localhost.app.example/',
]

const callback = '/callbacks/v1/oauth'
const stateOf = (url: string) => new URL(url, publicUrl).searchParams.get('state') ?? ''
/** Begins a flow that no browser is bound to: the rules of the state hold alone, too. */
const begin = (kit: ConnectingKit, groupRef: string, body: object = {}) =>
  kit.begin({ ...account, groupRef, enableCSRFProtection: false, ...body })
const honestly = async (kit: ConnectingKit) => kit.browser().get(await kit.grant(await begin(kit, 'honest')))
/** Opens a flow in a browser and grants everything. */
const arrived = async (kit: ConnectingKit, groupRef: string) => kit.arrive(await kit.begin({ ...account, groupRef }))

async function connectionsOf(kit: ConnectingKit): Promise<string> {
  const { body } = await kit.app.call<{ id: string }[]>('GET', '/projects/default/connections')
  return body.map(({ id }) => id).join()
}

/** A grant whose answer is changed on its way back. */
const changed =
  (change: (query: URLSearchParams) => void, body?: object): Prepare =>
  async (kit, groupRef) => {
    const back = new URL(await kit.grant(await begin(kit, groupRef, body)), publicUrl)
    change(back.searchParams)
    return { path: `${back.pathname}${back.search}` }
  }
/** A grant whose token the server answers with something else. */
const answered =
  (status: number, type: string, text: string): Prepare =>
  async (kit, groupRef) => {
    const path = await kit.grant(await begin(kit, groupRef))
    kit.server.answerTokens((_, response) => {
      response.writeHead(status, { 'content-type': type, location: `${evil}/` }).end(text)
    })
    return { path }
  }
const withQuery =
  (query: (state: string) => string): Prepare =>
  async (kit, groupRef) => ({ path: `${callback}?${query(stateOf(await begin(kit, groupRef)))}` })

const cases: Record<string, Prepare> = {
  ...Object.fromEntries(hostileQueries.map(([name, query]) => [`a state: ${name}`, withQuery(query)])),
  'a state that was used': async (kit, groupRef) => {
    const path = await kit.grant(await begin(kit, groupRef))
    await kit.browser().get(path)
    return { path }
  },
  'a state that failed before': async (kit, groupRef) => {
    const url = await begin(kit, groupRef)
    await kit.browser().get(`${callback}?error=access_denied&state=${stateOf(url)}`)
    return { path: await kit.grant(url) }
  },
  'a flow of another browser': async (kit, groupRef) => ({ path: (await arrived(kit, groupRef)).back }),
  'a flow of another browser that has one of its own': async (kit, groupRef) => {
    const [mine, theirs] = [await arrived(kit, groupRef), await arrived(kit, `${groupRef}-theirs`)]
    return { path: theirs.back, browser: mine.browser }
  },
  'a code that was used': async (kit, groupRef) => {
    const first = await kit.grant(await begin(kit, groupRef))
    await kit.browser().get(first)
    const code = new URL(first, publicUrl).searchParams.get('code') ?? ''
    const second = stateOf(await begin(kit, groupRef))
    return { path: `${callback}?${new URLSearchParams({ code, state: second, iss: kit.server.origin })}` }
  },
  'a code of another flow': async (kit, groupRef) => {
    const code = new URL(await kit.grant(await begin(kit, groupRef)), publicUrl).searchParams.get('code') ?? ''
    return { path: `${callback}?${new URLSearchParams({ code, state: stateOf(await begin(kit, groupRef)) })}` }
  },
  'a code that was changed': changed((query) => query.set('code', `${query.get('code')}x`)),
  'another issuer': changed((query) => query.set('iss', evil)),
  'an issuer with a suffix': changed((query) => query.set('iss', `${query.get('iss')}.evil.example`)),
  'the answer of one server to the flow of another': changed((query) => query.set('iss', evil), { provider: 'told' }),
  'two issuers': changed((query) => query.append('iss', evil)),
  'a flow whose challenge was taken off': async (kit, groupRef) => {
    const url = new URL(await begin(kit, groupRef))
    for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name)
    return { path: await kit.grant(url.href) }
  },
  'a start that leads elsewhere': async (kit, groupRef) => {
    const state = stateOf(await begin(kit, groupRef))
    return {
      path: `${callback}/start?${new URLSearchParams({ state, to: evil, redirect_uri: evil, returnUrl: evil })}`,
    }
  },
  'a failure that leads elsewhere': withQuery((state) => {
    return `${new URLSearchParams({ state, error: 'access_denied', error_uri: evil, redirect_uri: evil, next: evil })}`
  }),
  'an error page with HTML': answered(500, 'text/html', html),
  'an error with HTML': answered(
    400,
    'application/json',
    JSON.stringify({ error: 'invalid_grant', error_description: html }),
  ),
  'a token with HTML': answered(200, 'application/json', JSON.stringify({ error: html })),
  'half of a token': answered(200, 'application/json', '{"access_'),
  'a token behind a redirect': answered(302, 'text/plain', ''),
  ...Object.fromEntries(
    ['state', 'error', 'error_description', 'error_uri', 'iss', 'code', 'x'].map((name) => [
      `HTML in ${name}`,
      withQuery((state) => `${new URLSearchParams({ state, error: 'access_denied', [name]: html })}`),
    ]),
  ),
}
