import { clientUrl, HostNotAllowed, InvalidInputs, providerUrl } from '@mortise/providers'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { AuthorizationServer } from '../credentials/index.ts'
import { mayUseApp } from './app-host.ts'
import { askTokenEndpoint } from './ask-token-endpoint.ts'
import { withClientAuthentication } from './client-authentication.ts'
import { oauth2Scheme } from './oauth2-scheme.ts'
import { scopesToAsk } from './scopes-to-ask.ts'
import { TokenRefused } from './token-errors.ts'
import { tokenMetadata } from './token-metadata.ts'
import type { TokenAnswer, TokenRequest } from './token-request.ts'
import { tokensOf } from './token-times.ts'

/**
 * Requests tokens from the provider's token endpoint, within 10 s and 1 MB per response. Sends a second request if the
 * method of client authentication has to be found out.
 *
 * @throws TokenRefused, TokenUnavailable; neither contains a secret
 */
export async function requestTokens(
  services: { outbound: Outbound; now: () => Date },
  request: TokenRequest,
  { signal, project }: { signal?: AbortSignal; project?: string } = {},
): Promise<TokenAnswer> {
  const { entry, client } = request
  const scheme = oauth2Scheme(entry)
  const declared = request.grant.kind === 'refresh' ? (scheme?.refreshUrl ?? scheme?.tokenUrl) : scheme?.tokenUrl
  const endpoint = request.server?.tokenEndpoint ?? declared
  if (!scheme || !endpoint)
    throw new TokenRefused('no_endpoint', `The provider file of ${entry.displayName} has no token endpoint.`)
  const exchange = filled(request, endpoint)
  const issued = services.now()
  const answer = await withClientAuthentication(services.outbound, request, (clientAuthentication) =>
    askTokenEndpoint(services, { entry, client, clientAuthentication, ...exchange, project }, signal),
  )
  return { ...tokensOf(answer, issued), ...tokenMetadata(scheme, answer) }
}

const grantTypes = {
  authorizationCode: 'authorization_code',
  refresh: 'refresh_token',
  clientCredentials: 'client_credentials',
  password: 'password',
} as const

function filled(request: TokenRequest, tokenUrl: string) {
  const { entry, client, grant, server } = request
  try {
    return {
      // A builder's secret never goes to a host that a customer chose. A customer's own secret goes where that customer
      // says.
      endpoint: server
        ? discoveredEndpoint(server)
        : client.allowedHosts
          ? clientUrl(entry, tokenUrl, request, client.allowedHosts)
          : providerUrl(entry, tokenUrl, request),
      grantType: grantTypes[grant.kind],
      ...withResource(parametersOf(request)),
    }
  } catch (cause) {
    if (!(cause instanceof InvalidInputs)) throw cause
    if (cause instanceof HostNotAllowed) throw new TokenRefused('host_not_allowed', cause.message, { cause })
    const names = cause.issues.map(({ name }) => name).join(', ')
    throw new TokenRefused(
      'invalid_inputs',
      `The values of the connection make no token URL of ${entry.displayName}: ${names}.`,
      { cause },
    )
  }

  function discoveredEndpoint({ tokenEndpoint, ...found }: AuthorizationServer): URL {
    if (!client.allowedHosts || mayUseApp(entry, { tokenEndpoint, ...found }, client.allowedHosts))
      return new URL(tokenEndpoint)
    const host = new URL(tokenEndpoint).host
    throw new TokenRefused('host_not_allowed', `The provider app may not be used at the host ${host}.`)
  }

  /** Every token is for the resource that the file or the MCP server names (RFC 8707). */
  function withResource<T extends { parameters: object }>(asked: T): T {
    const resource = server?.resource ?? oauth2Scheme(entry)?.resource
    return resource === undefined ? asked : { ...asked, parameters: { ...asked.parameters, resource } }
  }

  function parametersOf(asked: TokenRequest) {
    const secrets = [client.clientSecret]
    switch (grant.kind) {
      case 'authorizationCode': {
        const { code, redirectUri, verifier } = grant
        const parameters = {
          ...oauth2Scheme(entry)?.tokenParams,
          code,
          redirect_uri: redirectUri,
          ...(verifier && { code_verifier: verifier }),
        }
        return { parameters, secrets: [...secrets, code, verifier ?? ''] }
      }
      case 'refresh':
        return {
          parameters: { refresh_token: grant.refreshToken, ...scopeParameter(asked, grant.scopes) },
          secrets: [...secrets, grant.refreshToken],
        }
      case 'clientCredentials':
        return { parameters: { ...audience(asked), ...scopeParameter(asked, grant.scopes) }, secrets }
      case 'password': {
        const { username, password, scopes } = grant
        const parameters = { username, password, ...audience(asked), ...scopeParameter(asked, scopes) }
        return { parameters, secrets: [...secrets, password] }
      }
    }
  }
}

function scopeParameter(request: TokenRequest, scopes: readonly string[] = []): { scope?: string } {
  return scopes.length === 0 ? {} : { scope: scopesToAsk(request.entry, scopes, request).join(' ') }
}

/** Returns the resource that the token is for, if the provider requires one. */
function audience({ entry }: TokenRequest): { audience?: string } {
  const names = oauth2Scheme(entry)?.audience ?? []
  return names.length === 0 ? {} : { audience: names.join(' ') }
}
