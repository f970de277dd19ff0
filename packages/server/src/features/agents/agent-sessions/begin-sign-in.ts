import type { NewId } from '../../../kernel/db/index.ts'
import { isResourceOf } from './addresses.ts'
import type { AgentClient } from './agent-client.ts'
import type { DocumentServices } from './client-document.ts'
import { findClient } from './find-client.ts'
import { OAuthError, type OAuthErrorCode, singleFields } from './oauth-error.ts'
import { isRedirectUri, isSameRedirectUri, withParameters } from './redirect-uri.ts'
import { digestOf, isSecret, later, signInMinutes } from './secrets.ts'
import { insertSignIn } from './sign-in-store.ts'
import type { TokenIssuer } from './token-issuer.ts'

/** An authorization request that is refused. */
export interface RefusedRequest {
  /** Sentences for the person, and for the developer of the client. */
  faults: string[]
  client?: AgentClient
  /** The client's own address, with the error. Only there if the client and its address are known. */
  returnUrl?: string
}

type BeginServices = DocumentServices & { newId: NewId }

/**
 * Stores an authorization request (RFC 6749, 4.1.1) for the page where the person decides. Returns the address of that
 * page, or why it is refused. The response never leads to an address that is not the client's.
 */
export async function beginSignIn(
  services: BeginServices,
  request: { issuer: TokenIssuer; parameters: URLSearchParams; browserSecret: string; signal: AbortSignal },
): Promise<{ url: string } | RefusedRequest> {
  const { issuer, parameters, browserSecret, signal } = request
  const db = services.database.forProject(issuer.projectId)
  try {
    const fields = singleFields(parameters)
    const client = await findClient(db, services, required(fields, 'client_id'), signal)
    const redirectUri = required(fields, 'redirect_uri')
    if (!isRedirectUri(redirectUri) || !client.redirectUris.some((uri) => isSameRedirectUri(uri, redirectUri)))
      throw new OAuthError('invalid_request', 'redirect_uri is not an address of the client.')
    const faults = requestFaults(fields, issuer)
    const [first] = faults
    if (first) return { ...refusal(client, redirectUri, fields, issuer, first), faults: faults.map(textOf) }
    const id = services.newId()
    const now = services.now()
    await insertSignIn(db, {
      id,
      client_id: client.id,
      client_name: client.name,
      redirect_uri: redirectUri,
      state: fields.get('state') ?? null,
      code_challenge: fields.get('code_challenge') ?? '',
      browser_hash: digestOf(browserSecret),
      create_time: now,
      expire_time: later(now, signInMinutes * 60),
    })
    const url = new URL(issuer.signInUrl)
    url.searchParams.set('request', id)
    return { url: url.href }
  } catch (error) {
    if (error instanceof OAuthError) return { faults: [error.message] }
    throw error
  }
}

const textOf = ({ message }: OAuthError) => message

function refusal(
  client: AgentClient,
  redirectUri: string,
  fields: ReadonlyMap<string, string>,
  issuer: TokenIssuer,
  { code, message }: OAuthError,
): Omit<RefusedRequest, 'faults'> {
  const parameters = {
    error: code,
    error_description: message,
    ...(isState(fields.get('state')) && { state: fields.get('state') }),
    iss: issuer.url,
  }
  return { client, returnUrl: withParameters(redirectUri, parameters) }
}

/** Returns all that is wrong with a request of a known client. */
function requestFaults(fields: ReadonlyMap<string, string>, issuer: TokenIssuer): OAuthError[] {
  const faults: OAuthError[] = []
  const fault = (code: OAuthErrorCode, text: string) => faults.push(new OAuthError(code, text))
  if (fields.get('response_type') !== 'code') fault('unsupported_response_type', 'response_type must be code.')
  if ((fields.get('response_mode') ?? 'query') !== 'query') fault('invalid_request', 'response_mode must be query.')
  if (!isSecret(fields.get('code_challenge') ?? ''))
    fault('invalid_request', 'code_challenge is missing or not valid: PKCE is required.')
  if (fields.get('code_challenge_method') !== 'S256') fault('invalid_request', 'code_challenge_method must be S256.')
  if (!isResourceOf(issuer, fields.get('resource') ?? ''))
    fault('invalid_target', 'resource must be the address of this MCP server.')
  if (!isState(fields.get('state'))) fault('invalid_request', 'state is too long, or not printable ASCII.')
  return faults
}

function isState(state: string | undefined): boolean {
  return state === undefined || (state.length <= 2_000 && !/[^\x20-\x7e]/.test(state))
}

/** @throws OAuthError */
function required(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}
