import { hash } from 'node:crypto'
import { type Browser, openBrowser, type Shown } from '../../../testkit/browser.ts'
import type { TestApp } from '../../../testkit/test-app.ts'
import { newSecret } from './secrets.ts'

/** Where the sign-in page of the tests is; nobody listens there. */
export const signInPage = 'https://app.example/agents?lang=en'
export const callback = 'http://127.0.0.1:41000/callback'

export interface TokensBody {
  access_token: string
  refresh_token: string
  expires_in: number
  error?: string
  error_description?: string
}

/** An authorization request whose browser waits at the builder's page. */
export interface BegunSignIn {
  id: string
  browser: Browser
  clientId: string
  verifier: string
}

/** The steps of clients and browsers. */
export interface ClientKit {
  /** Address of the MCP server. */
  mcp: string
  oauth: string
  /** Sends requests for the public address to the service. */
  fetch: typeof fetch
  register(metadata?: object): Promise<string>
  /** Opens the authorization endpoint. `change` replaces parameters; undefined removes one. */
  authorize(
    clientId: string,
    options?: { browser?: Browser; change?: Record<string, string | undefined>; verifier?: string },
  ): Promise<{ shown: Shown; browser: Browser; verifier: string }>
  begin(clientId?: string): Promise<BegunSignIn>
  /** Follows a URL of the service in a browser. */
  follow(browser: Browser, url: string): Promise<Shown>
  form(endpoint: string, fields: Record<string, string | undefined>): Promise<{ status: number; body: TokensBody }>
  exchange(
    begun: BegunSignIn & { code: string },
    change?: Record<string, string | undefined>,
  ): ReturnType<ClientKit['form']>
  refresh(clientId: string, token: string, change?: Record<string, string | undefined>): ReturnType<ClientKit['form']>
}

/** The same, and the steps of the builder's server. */
export interface SignInKit extends ClientKit {
  complete(id: string, refs?: { groupRef?: string; consumerRef?: string }): Promise<string>
  /** The whole sign-in up to the code. */
  code(refs?: { groupRef?: string; consumerRef?: string }): Promise<BegunSignIn & { code: string }>
  tokens(refs?: { groupRef?: string; consumerRef?: string }): Promise<TokensBody & { clientId: string }>
}

/** Sets the sign-in page of the project. */
export async function startSignInKit(
  app: TestApp,
  publicUrl: string,
  { project = app.projectId, apiKey = app.apiKey }: { project?: string; apiKey?: string } = {},
): Promise<SignInKit> {
  const base = `/projects/${project}`
  const body = { updateMask: ['agentSignInUrl'], project: { agentSignInUrl: signInPage } }
  const set = await app.call('PATCH', base, body, { apiKey })
  if (set.status !== 200) throw new Error(JSON.stringify(set.body))
  const steps = clientKit(app, publicUrl, `${publicUrl}/mcp/v1${base}`)
  const kit: SignInKit = {
    ...steps,
    async complete(id, { groupRef = 'acme', consumerRef = 'ada' } = {}) {
      const path = `${base}/agent-sign-ins/${id}:complete`
      const answer = await app.call<{ redirectUrl: string }>('POST', path, { groupRef, consumerRef }, { apiKey })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body.redirectUrl
    },
    async code(refs) {
      const begun = await kit.begin()
      const shown = await kit.follow(begun.browser, await kit.complete(begun.id, refs))
      if (shown.status !== 303 || shown.location === null) throw new Error(shown.text)
      return { ...begun, code: new URL(shown.location).searchParams.get('code') ?? '' }
    },
    async tokens(refs) {
      const begun = await kit.code(refs)
      const { status, body } = await kit.exchange(begun)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return { ...body, clientId: begun.clientId }
    },
  }
  return kit
}

/** @param mcp address of the MCP server */
export function clientKit(app: TestApp, publicUrl: string, mcp: string): ClientKit {
  const oauth = `${mcp}/oauth`
  const here = (url: string) => url.replace(publicUrl, app.url)
  const kit: ClientKit = {
    mcp,
    oauth,
    fetch: (input, init) => fetch(here(String(input instanceof Request ? input.url : input)), init),
    async register(metadata = { client_name: 'Desk', redirect_uris: ['http://127.0.0.1/callback'] }) {
      const headers = { 'content-type': 'application/json' }
      const answer = await kit.fetch(`${oauth}/register`, { method: 'POST', headers, body: JSON.stringify(metadata) })
      const text = await answer.text()
      if (answer.status !== 201) throw new Error(text)
      return (JSON.parse(text) as { client_id: string }).client_id
    },
    async authorize(clientId, { browser = openBrowser(app.url), change = {}, verifier = newSecret() } = {}) {
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: callback,
        code_challenge: hash('sha256', verifier, 'base64url'),
        code_challenge_method: 'S256',
        resource: mcp,
        state: 'the state',
        ...change,
      }
      const shown = await kit.follow(browser, `${oauth}/authorize?${definedFields(parameters)}`)
      return { shown, browser, verifier }
    },
    async begin(clientId) {
      const id = clientId ?? (await kit.register())
      const { shown, browser, verifier } = await kit.authorize(id)
      if (shown.status !== 303 || shown.location === null) throw new Error(shown.text)
      return { id: new URL(shown.location).searchParams.get('request') ?? '', browser, clientId: id, verifier }
    },
    follow: (browser, url) => browser.get(here(url)),
    async form(endpoint, fields) {
      const answer = await kit.fetch(`${oauth}/${endpoint}`, { method: 'POST', body: definedFields(fields) })
      const text = await answer.text()
      return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as TokensBody }
    },
    exchange: ({ code, clientId, verifier }, change = {}) =>
      kit.form('token', {
        grant_type: 'authorization_code',
        code,
        client_id: clientId,
        code_verifier: verifier,
        redirect_uri: callback,
        resource: mcp,
        ...change,
      }),
    refresh: (clientId, token, change = {}) =>
      kit.form('token', {
        grant_type: 'refresh_token',
        refresh_token: token,
        client_id: clientId,
        resource: mcp,
        ...change,
      }),
  }
  return kit
}

function definedFields(fields: Record<string, string | undefined>): URLSearchParams {
  return new URLSearchParams(Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined))
}
