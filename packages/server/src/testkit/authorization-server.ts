import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Provider, { errors } from 'oidc-provider'
import { openBrowser } from './browser.ts'

/**
 * A real OAuth 2.0 authorization server (`oidc-provider`, certified) with one protected resource, on 127.0.0.1. It does
 * the grants of authorization code (with and without PKCE), refresh (a refresh token is good once; using it twice
 * revokes everything that came of it), client credentials and password (which oidc-provider does not have: added here).
 *
 * - `/token`, `/auth`, `/revocation`: the protocol. Clients: `authorizationClients`.
 * - `/me`: answers `{id}` to a good bearer token, else 401. Any path below `/api/` answers `{path}` the same way.
 * - `answerTokens(handler)`: from now on this answers at `/token` instead, for servers that are slow, broken or
 *   hostile; `undefined` puts the real one back. `tokenRequests` has seen every request of either.
 *
 * A provider that uses it is declared with `authorizationProvider(...)`: write that into a folder of
 * `MORTISE_PROVIDERS_DIR`.
 */
export interface AuthorizationServer {
  origin: string
  /** Every request to the token endpoint, in order. */
  tokenRequests: { parameters: Record<string, string>; authorization: string | undefined }[]
  /** Requests to the protected resource. */
  resourceRequests: { path: string; authorization: string | undefined; status: number }[]
  /** Seconds that access tokens live, from now on; 3,600 at first. */
  accessTokenSeconds: number
  /** Passwords by user name, for the password grant. */
  people: Map<string, string>
  answerTokens(handler: ((request: IncomingMessage, response: ServerResponse) => void) | undefined): void
  /** What the browser of a person comes back with who grants everything: the redirect URI with its query. */
  authorize(authorizationUrl: string | URL, person?: string): Promise<URL>
  /** A fresh access and refresh token, as if granted by a person. */
  issue(
    client?: keyof typeof authorizationClients,
    scope?: string,
  ): Promise<{ accessToken: string; refreshToken: string }>
  /** The provider takes a token back: an access token is answered with 401, a refresh token with `invalid_grant`. */
  revoke(token: string): Promise<void>
  close(): Promise<void>
}

/** Client secrets by client id. `basic` authenticates by HTTP Basic alone, `body` in the body alone. */
export const authorizationClients = { basic: 'secret of basic: 100% & +', body: 'secret-of-body' } as const

const scopes = ['openid', 'offline_access', 'contacts.read', 'contacts.write']

export async function startAuthorizationServer({
  redirectUris = ['http://127.0.0.1:1/callback'],
}: {
  redirectUris?: string[]
} = {}): Promise<AuthorizationServer> {
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let instead: Parameters<AuthorizationServer['answerTokens']>[0]

  const provider = createProvider(origin, redirectUris, () => kit)
  const handle = provider.callback()

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', origin)
    if (pathname.startsWith('/interaction/')) {
      const accountId = String(request.headers['x-person'])
      await provider.interactionFinished(
        request,
        response,
        { login: { accountId }, consent: {} },
        { mergeWithLastSubmission: false },
      )
    } else if (pathname === '/me' || pathname.startsWith('/api/')) await serveResource(request, response, pathname)
    else if (pathname === '/token') {
      const body = await text(request)
      const { authorization } = request.headers
      const parameters = Object.fromEntries(new URLSearchParams(body))
      kit.tokenRequests.push({ parameters, authorization })
      if (instead) return instead(request, response)
      if (isOtherWay(parameters, authorization)) {
        response.writeHead(401, { 'content-type': 'application/json' })
        response.end('{"error":"invalid_client"}')
        return
      }
      // What was read before is what koa's parser would have read.
      Object.assign(request, { body })
      await handle(request, response)
    } else await handle(request, response)
  }

  async function serveResource(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    request.resume()
    const { authorization } = request.headers
    const value = authorization?.replace(/^Bearer /, '') ?? ''
    const token = (await provider.AccessToken.find(value)) ?? (await provider.ClientCredentials.find(value))
    const status = token ? 200 : 401
    kit.resourceRequests.push({ path: request.url ?? path, authorization, status })
    response.writeHead(status, { 'content-type': 'application/json' })
    const id = token && 'accountId' in token ? token.accountId : token?.clientId
    response.end(JSON.stringify(token ? { id, path } : { message: 'no good token' }))
  }

  const kit: AuthorizationServer = {
    origin,
    tokenRequests: [],
    resourceRequests: [],
    accessTokenSeconds: 3_600,
    people: new Map(),
    answerTokens(handler) {
      instead = handler
    },
    async authorize(authorizationUrl, person = 'ann') {
      const browser = openBrowser(origin, { 'x-person': person })
      let location = new URL(authorizationUrl).href
      for (let hops = 0; hops < 6; hops++) {
        const answer = await browser.get(location)
        if (answer.location === null) throw new Error(`the authorization server stops at ${location}: ${answer.text}`)
        location = new URL(answer.location, origin).href
        if (redirectUris.some((uri) => location.startsWith(uri))) return new URL(location)
      }
      throw new Error(`the authorization server goes round in circles: ${location}`)
    },
    async issue(clientId = 'basic', scope = 'offline_access contacts.read') {
      const client = await provider.Client.find(clientId)
      return granted(provider, client!, 'ann', scope, kit.accessTokenSeconds)
    },
    async revoke(value) {
      const token = (await provider.AccessToken.find(value)) ?? (await provider.RefreshToken.find(value))
      await token?.destroy()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return kit
}

/** oidc-provider takes either way to send a secret; many servers take one only. */
function isOtherWay(parameters: Record<string, string>, authorization: string | undefined): boolean {
  const [name] = Buffer.from(authorization?.replace(/^Basic /, '') ?? '', 'base64')
    .toString()
    .split(':')
  return name === 'body' || (parameters['client_id'] === 'basic' && 'client_secret' in parameters)
}

function createProvider(origin: string, redirectUris: string[], kit: () => AuthorizationServer): Provider {
  const seconds = () => kit().accessTokenSeconds
  const provider = new Provider(origin, {
    clients: Object.entries(authorizationClients).map(([id, secret]) => ({
      client_id: id,
      client_secret: secret,
      redirect_uris: redirectUris,
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
      token_endpoint_auth_method: id === 'body' ? 'client_secret_post' : 'client_secret_basic',
    })),
    scopes,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => false },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: {
      Interaction: 600,
      Grant: 86_400,
      Session: 600,
      RefreshToken: 86_400,
      IdToken: 600,
      AccessToken: seconds,
      ClientCredentials: seconds,
    },
    cookies: { keys: ['of the test'] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! })
      grant.addOIDCScope(scopes.join(' '))
      await grant.save()
      return grant
    },
  })
  provider.registerGrantType(
    'password',
    async (ctx) => {
      const { username, password, scope } = ctx.oidc.params as Record<string, string | undefined>
      if (username === undefined || kit().people.get(username) !== password)
        throw new errors.InvalidGrant('no such user, or another password')
      const { accessToken, refreshToken } = await granted(
        provider,
        ctx.oidc.client,
        username,
        scope ?? 'offline_access',
        seconds(),
      )
      ctx.body = {
        access_token: accessToken,
        refresh_token: refreshToken,
        token_type: 'Bearer',
        expires_in: seconds(),
        scope,
      }
    },
    ['username', 'password', 'scope'],
  )
  return provider
}

async function granted(
  provider: Provider,
  client: NonNullable<Awaited<ReturnType<Provider['Client']['find']>>>,
  accountId: string,
  scope: string,
  expiresIn: number,
): Promise<{ accessToken: string; refreshToken: string }> {
  const grant = new provider.Grant({ clientId: client.clientId, accountId })
  grant.addOIDCScope(scope)
  const grantId = await grant.save()
  const values = { accountId, client, grantId, gty: 'authorization_code', scope }
  const accessToken = new provider.AccessToken({ ...values, expiresIn } as never)
  const refreshToken = new provider.RefreshToken(values as never)
  return { accessToken: await accessToken.save(), refreshToken: await refreshToken.save() }
}

/**
 * A provider file (YAML is a superset of JSON) whose accounts are at this server; `changes` go into its
 * `authentication`.
 */
export function authorizationProvider(
  { origin }: AuthorizationServer,
  name: string,
  grantType: 'authorizationCode' | 'authorizationCodePKCE' | 'clientCredentials' | 'password',
  changes: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): string {
  const authUrl = grantType.startsWith('authorizationCode') ? { authUrl: `${origin}/auth` } : {}
  return JSON.stringify({
    name,
    displayName: name,
    baseUrl: origin,
    authentication: [{ scheme: 'oauth2', grantType, ...authUrl, tokenUrl: `${origin}/token`, ...changes }],
    healthCheck: { path: '/me' },
    ...more,
  })
}
