import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** How clients of the sample become known. Both are on unless switched off. */
export interface SampleAuthorizationOptions {
  /** Dynamic registration (RFC 7591). */
  readonly registration?: boolean
  /** Client ID metadata documents. */
  readonly documents?: boolean
  /** Fetches the document of a client. */
  readonly readDocument?: (url: string) => Promise<unknown>
  /** Seconds that access tokens live; 3,600 unless set. */
  readonly tokenSeconds?: number
}

export interface SampleAuthorization {
  /** Ids of clients that registered, in order. */
  readonly registered: readonly string[]
  /** Parameters of the requests at the token endpoint. */
  readonly tokenRequests: readonly Record<string, string>[]
  /** Returns where the browser of a person goes who allows what this URL asks for. */
  allow(authorizationUrl: string): Promise<string>
  /** The server no longer knows any client that registered. */
  forgetClients(): void
}

interface Client {
  redirectUris: readonly string[]
  secret?: string
}

interface Grant {
  clientId: string
  scopes: readonly string[]
  resource: string
}

export type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<boolean>

export const sampleScopes = ['notes.read', 'notes.write', 'offline_access'] as const

const random = () => randomBytes(24).toString('base64url')
const digest = (value: string) => createHash('sha256').update(value).digest()
const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))

interface State {
  origin: string
  resource: string
  options: SampleAuthorizationOptions
  clients: Map<string, Client>
  codes: Map<string, Grant & { redirectUri: string; challenge: string }>
  accessTokens: Map<string, Grant & { expires: number }>
  refreshTokens: Map<string, Grant>
  registered: string[]
  tokenRequests: Record<string, string>[]
}

/**
 * An authorization server for one MCP server: authorization codes with PKCE, refresh tokens that are good once, and
 * clients that register or have a document.
 */
export function createAuthorizationServer(origin: string, resource: string, options: SampleAuthorizationOptions) {
  const state: State = {
    origin,
    resource,
    options,
    clients: new Map(),
    codes: new Map(),
    accessTokens: new Map(),
    refreshTokens: new Map(),
    registered: [],
    tokenRequests: [],
  }
  const handle: Handler = async (request, response, url) => {
    const route = `${request.method} ${url.pathname}`
    if (route === 'GET /.well-known/oauth-protected-resource/mcp')
      json(response, 200, { resource, authorization_servers: [origin], scopes_supported: ['notes.read'] })
    else if (route === 'GET /.well-known/oauth-authorization-server') json(response, 200, metadataOf(state))
    else if (route === 'GET /authorize') await authorize(state, response, url)
    else if (route === 'POST /token') await token(state, request, response)
    else if (route === 'POST /register' && options.registration !== false) await register(state, request, response)
    else return false
    return true
  }

  const kit: SampleAuthorization = {
    registered: state.registered,
    tokenRequests: state.tokenRequests,
    async allow(authorizationUrl) {
      const answer = await fetch(`${authorizationUrl}&allow=yes`, { redirect: 'manual' })
      const location = answer.headers.get('location')
      if (location === null) throw new Error(`The server did not redirect: ${await answer.text()}`)
      return location
    },
    forgetClients: () => state.clients.clear(),
  }
  return {
    handle,
    kit,
    /** Returns the scopes of a token; undefined if it is not valid. */
    scopesOf(accessToken: string): readonly string[] | undefined {
      const grant = state.accessTokens.get(accessToken)
      return grant && grant.expires > Date.now() ? grant.scopes : undefined
    },
    revokeTokens: () => state.accessTokens.clear(),
  }
}

function metadataOf({ origin, options: { registration = true, documents = true } }: State) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    ...(registration && { registration_endpoint: `${origin}/register` }),
    scopes_supported: sampleScopes,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: documents,
  }
}

async function fetchDocument(url: string): Promise<unknown> {
  return (await fetch(url, { redirect: 'error' })).json()
}

async function findClient({ options, clients }: State, id: string): Promise<Client | undefined> {
  const { documents = true, readDocument = fetchDocument } = options
  if (!documents || !id.startsWith('https://')) return clients.get(id)
  const document = (await readDocument(id)) as { client_id?: unknown; redirect_uris?: unknown }
  return document.client_id === id && Array.isArray(document.redirect_uris)
    ? { redirectUris: document.redirect_uris }
    : undefined
}

async function authorize(state: State, response: ServerResponse, url: URL): Promise<void> {
  const { origin, resource, codes } = state
  const asked = Object.fromEntries(url.searchParams)
  const {
    client_id: clientId = '',
    redirect_uri: redirectUri = '',
    state: theirs = '',
    code_challenge: challenge = '',
  } = asked
  const client = await findClient(state, clientId)
  // Nobody is sent to an address that the client has not named.
  if (!client?.redirectUris.includes(redirectUri)) return page(response, 400, 'This application is not known.')
  const isComplete = challenge !== '' && asked['code_challenge_method'] === 'S256' && asked['resource'] === resource
  const back = new URL(redirectUri)
  back.search = new URLSearchParams({ state: theirs, iss: origin }).toString()
  if (!isComplete) back.searchParams.set('error', 'invalid_request')
  else if (url.searchParams.get('allow') === null) {
    const allowed = new URL(url)
    allowed.searchParams.set('allow', 'yes')
    const link = `${allowed.pathname}${allowed.search}`.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    return page(response, 200, `An application wants to use your notes. <a href="${link}">Allow</a>`)
  } else {
    const code = random()
    const scopes = (asked['scope'] ?? '').split(' ').filter((scope) => sampleScopes.some((known) => known === scope))
    codes.set(code, { clientId, scopes, resource, redirectUri, challenge })
    back.searchParams.set('code', code)
  }
  response.writeHead(303, { location: back.href }).end()
}

async function register(
  { clients, registered }: State,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = JSON.parse(await text(request)) as { redirect_uris: string[]; token_endpoint_auth_method?: string }
  const id = `client_${random()}`
  const isPublic = asked.token_endpoint_auth_method === 'none'
  const secret = isPublic ? undefined : random()
  clients.set(id, { redirectUris: asked.redirect_uris, ...(secret !== undefined && { secret }) })
  registered.push(id)
  const answer = { ...asked, client_id: id, ...(secret !== undefined && { client_secret: secret }) }
  json(response, 201, { ...answer, ...(secret !== undefined && { client_secret_expires_at: 0 }) })
}

async function token(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { resource, accessTokens, refreshTokens, tokenRequests, options } = state
  const { tokenSeconds = 3_600 } = options
  const asked = Object.fromEntries(new URLSearchParams(await text(request)))
  tokenRequests.push(asked)
  const clientId = await authenticated(state, request, asked)
  if (clientId === undefined) return json(response, 401, { error: 'invalid_client' })
  const grant = asked['grant_type'] === 'refresh_token' ? refreshed(state, asked) : exchanged(state, asked)
  if (grant?.clientId !== clientId || asked['resource'] !== resource)
    return json(response, 400, { error: 'invalid_grant' })
  const [accessToken, refreshToken] = [random(), random()]
  const kept = { clientId, scopes: grant.scopes, resource }
  accessTokens.set(accessToken, { ...kept, expires: Date.now() + tokenSeconds * 1_000 })
  refreshTokens.set(refreshToken, kept)
  json(response, 200, {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_in: tokenSeconds,
    scope: grant.scopes.join(' '),
  })
}

async function authenticated(
  state: State,
  request: IncomingMessage,
  asked: Record<string, string>,
): Promise<string | undefined> {
  const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const parts = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
  const [id = '', secret] = basic === '' ? [asked['client_id'], undefined] : parts
  const client = await findClient(state, id)
  if (!client) return undefined
  return client.secret === undefined || (secret !== undefined && isSame(client.secret, secret)) ? id : undefined
}

/** A code is good once, for who has the verifier. */
function exchanged(
  { codes }: State,
  { code = '', redirect_uri: redirectUri, code_verifier: verifier = '' }: Record<string, string>,
) {
  const grant = codes.get(code)
  codes.delete(code)
  if (!grant || grant.redirectUri !== redirectUri) return undefined
  return isSame(grant.challenge, digest(verifier).toString('base64url')) ? grant : undefined
}

function refreshed({ refreshTokens }: State, { refresh_token: refreshToken = '' }: Record<string, string>) {
  const grant = refreshTokens.get(refreshToken)
  refreshTokens.delete(refreshToken)
  return grant
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify(body))
}

function page(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html><p>${body}</p>`)
}
