import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AuthorizationServer,
  authorizationClients,
  authorizationProvider,
  startAuthorizationServer,
} from '../../../testkit/authorization-server.ts'
import { type Browser, openBrowser, type Shown } from '../../../testkit/browser.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

export interface Told {
  eventType: string
  message?: string
  data: { connection?: string | { id: string }; error?: string }
}

/** A service whose customers have accounts at a real authorization server, and apps at each of its providers. */
export interface ConnectingKit {
  app: TestApp
  server: AuthorizationServer
  /** `clientId` of `authorizationClients`; answers the app's id. */
  makeApp(provider: string, changes?: Record<string, unknown>): Promise<string>
  /** Begins a flow; answers the URL. */
  begin(body?: Record<string, unknown>, headers?: Record<string, string>): Promise<string>
  /** What the provider sends back to a person who grants everything, as path and query of ours. */
  grant(url: string, person?: string): Promise<string>
  /** Opens the URL of a flow in a new browser and grants everything at the provider. `back` is as of `grant`. */
  arrive(url: string, person?: string): Promise<{ browser: Browser; back: string }>
  /** As `arrive`, and comes back: the last page of the flow. */
  connect(url: string, person?: string): Promise<Shown>
  /** A browser at our origin, and what its page tells. */
  browser(): Browser
  stop(): Promise<void>
}

export const publicUrl = 'http://connect.localhost:4100'

export const asked = { projectIdOrName: 'default', provider: 'plain', groupRef: 'acme', consumerRef: 'ada' }

/** Queries of a callback that nobody honest sends, for a state that is waited for. */
export const hostileQueries: [string, (state: string) => string][] = [
  ['none', () => 'code=x'],
  ['an empty one', () => 'code=x&state='],
  ['another one', () => `code=x&state=${'A'.repeat(43)}`],
  ['a shorter one', (state) => `code=x&state=${state.slice(1)}`],
  ['a longer one', (state) => `code=x&state=${state}A`],
  ['one twice', (state) => `code=x&state=${state}&state=${state}`],
  ['one twice, written otherwise', (state) => `code=x&state=${state}&st%61te=${'A'.repeat(43)}`],
  ['two codes', (state) => `code=x&code=y&state=${state}`],
  ['two issuers', (state) => `code=x&iss=a&iss=b&state=${state}`],
  ['a list', (state) => `code=x&state[]=${state}`],
  ['a code of 9,000 characters', (state) => `code=${'x'.repeat(9_000)}&state=${state}`],
  ['an issuer of 2,001 characters', (state) => `code=x&state=${state}&iss=${'x'.repeat(2_001)}`],
  ['a code with a line break', (state) => `code=x%0d%0aSet-Cookie:a&state=${state}`],
  ['a code that is no text', (state) => `code=%ff%fe&state=${state}`],
]

export async function startConnectingKit(
  options: {
    publicUrl?: string
    env?: Record<string, string>
    logLevel?: string
    /** Provider files besides, by name. */
    providers?: (server: AuthorizationServer) => Record<string, object>
  } = {},
): Promise<ConnectingKit> {
  const origin = options.publicUrl ?? publicUrl
  const server = await startAuthorizationServer({ redirectUris: [`${origin}/callbacks/v1/oauth`] })
  const folder = await mkdtemp(join(tmpdir(), 'mortise-connecting-'))
  const files: Record<string, string> = {
    plain: authorizationProvider(server, 'plain', 'authorizationCode'),
    pkce: authorizationProvider(server, 'pkce', 'authorizationCodePKCE'),
    // Its answers are what the test says.
    told: authorizationProvider(server, 'told', 'authorizationCode', {
      tokenMetadataFields: {
        workspaceRef: 'team',
        consumerRef: 'person',
        others: [{ name: 'region', path: 'region' }],
      },
    }),
    // It names the account beside the code.
    redirecting: authorizationProvider(server, 'redirecting', 'authorizationCode', {
      redirectFields: { workspaceRef: 'realmId', others: [{ name: 'company', parameter: 'realmId' }] },
    }),
    machines: authorizationProvider(server, 'machines', 'clientCredentials'),
  }
  for (const [name, file] of Object.entries(options.providers?.(server) ?? {}))
    files[name] = JSON.stringify({ name, ...file })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.yaml`), text)
  const app = await startTestApp({
    env: { MORTISE_PROVIDERS_DIR: folder, MORTISE_PUBLIC_URL: origin, ...options.env },
    ...(options.logLevel && { logLevel: options.logLevel }),
  })
  const left = app.logs.filter((line) => line.includes('provider file has errors'))
  if (left.length > 0) throw new Error(left.join('\n'))

  const makeApp: ConnectingKit['makeApp'] = async (provider, changes = {}) => {
    const answer = await app.call<{ id: string }>('POST', '/projects/default/provider-apps', {
      provider,
      clientId: 'basic',
      clientSecret: authorizationClients.basic,
      scopes: ['openid', 'offline_access', 'contacts.read'],
      ...changes,
    })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    return answer.body.id
  }
  const grant: ConnectingKit['grant'] = async (url, person) => {
    const back = await server.authorize(url, person)
    return `${back.pathname}${back.search}`
  }
  const arrive: ConnectingKit['arrive'] = async (url, person) => {
    const browser = openBrowser(app.url)
    const opened = new URL(url)
    if (opened.origin !== origin) return { browser, back: await grant(url, person) }
    const { location, text } = await browser.get(`${opened.pathname}${opened.search}`)
    if (location === null) throw new Error(`the start leads nowhere: ${text}`)
    return { browser, back: await grant(location, person) }
  }
  return {
    app,
    server,
    makeApp,
    async begin(body = {}, headers = {}) {
      const answer = await app.call<string>('POST', '/oauth-connect', { ...asked, ...body }, { headers })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body
    },
    grant,
    arrive,
    async connect(url, person) {
      const { browser, back } = await arrive(url, person)
      return browser.get(back)
    },
    browser: () => openBrowser(app.url),
    async stop() {
      await app.stop()
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** What a page posts to the window that opened it, and to which origin. */
export function postedBy({ text }: Pick<Shown, 'text'>): { message: Told; targetOrigin: string; closes: boolean } {
  const [, json] = /<script type="application\/json" id="outcome">(.*?)<\/script>/s.exec(text) ?? []
  if (json === undefined) throw new Error(`the page posts nothing: ${text}`)
  return JSON.parse(json)
}
