import { type ConnectionValues, clientUrl, type ProviderEntry } from '@mortise/providers'
import type { ProviderAppRow } from '../../integrations/provider-apps/index.ts'
import type { AuthorizationServer } from '../credentials/index.ts'
import { scopesToAsk } from '../tokens/index.ts'
import type { CodeGrant } from './code-grant.ts'

export interface AuthorizationRequest {
  entry: ProviderEntry
  grant: CodeGrant
  values: ConnectionValues
  app: Pick<ProviderAppRow, 'metadata' | 'allowed_hosts'> | undefined
  clientId: string
  scopes: readonly string[]
  /** The authorization server, if it was looked up. */
  server: AuthorizationServer | undefined
  redirectUri: string
  state: string
  /** S256 (RFC 7636). */
  challenge: string | undefined
  /** Whether an existing connection is authorized again. */
  isAgain: boolean
}

/**
 * Where the browser is sent (RFC 6749, 4.1.1). What the flow rests on (client, redirect URI, state, challenge) is set
 * last: neither the provider's file nor the app can replace it.
 *
 * @throws InvalidInputs naming the values of the connection that make no URL
 */
export function authorizationUrl({ entry, grant, values: place, app, ...flow }: AuthorizationRequest): URL {
  const { server, clientId } = flow
  const url = server
    ? new URL(server.authorizationEndpoint)
    : clientUrl(entry, grant.authUrl ?? '', place, app?.allowed_hosts ?? [])
  const query = url.searchParams
  for (const [name, value] of Object.entries(grant.authUrlParams ?? {})) query.set(name, value)
  if (flow.isAgain) for (const [name, value] of Object.entries(grant.askAgainParams ?? {})) query.set(name, value)
  if (grant.audience) query.set('audience', grant.audience.join(' '))
  const resource = server?.resource ?? grant.resource
  if (resource !== undefined) query.set('resource', resource)
  for (const [name, values] of Object.entries(app?.metadata?.authQueryParams ?? {})) {
    query.delete(name)
    for (const value of values) query.append(name, value)
  }
  const scopes = scopesToAsk(entry, flow.scopes, place)
  if (scopes.length > 0) query.set('scope', scopes.join(grant.scopeSeparator ?? ' '))
  // OpenID Connect Core, 11: without consent, a server ignores the scope.
  if (server && scopes.includes('offline_access')) query.set('prompt', 'consent')
  query.set('response_type', 'code')
  query.set('client_id', clientId)
  query.set('redirect_uri', flow.redirectUri)
  query.set('state', flow.state)
  if (flow.challenge !== undefined) {
    query.set('code_challenge', flow.challenge)
    query.set('code_challenge_method', 'S256')
  }
  // Providers that do not read a query as a form does take "+" for itself.
  url.search = query.toString().replaceAll('+', '%20')
  return url
}
