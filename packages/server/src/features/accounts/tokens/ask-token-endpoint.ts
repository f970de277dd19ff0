import type { ProviderEntry } from '@mortise/providers'
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  genericTokenEndpointRequest,
  None,
  processGenericTokenEndpointResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import type { Outbound } from '../../../kernel/net/index.ts'
import { classifyFailure } from '../../provider-calls/calls/index.ts'
import { readTokenBody } from './read-token-body.ts'
import { TokenUnavailable } from './token-errors.ts'
import type { ClientAuthentication, TokenClient } from './token-request.ts'

export interface TokenExchange {
  entry: ProviderEntry
  endpoint: URL
  client: TokenClient
  clientAuthentication: ClientAuthentication
  grantType: string
  parameters: Record<string, string>
  /** Never repeated in errors. */
  secrets: readonly string[]
  /** Whose connection it is. */
  project?: string | undefined
}

const timeoutMs = 10_000
const answerBytesMax = 1024 * 1024

/**
 * One request to a token endpoint, with what the library makes of it: the client's authentication, and the checks of an
 * answer. It goes out through the address guard and follows no redirect, so that the secrets in it reach nobody else.
 *
 * @throws TokenRefused, TokenUnavailable
 */
export async function askTokenEndpoint(
  { outbound, now }: { outbound: Outbound; now: () => Date },
  { entry, endpoint, client, clientAuthentication, grantType, parameters, secrets, project }: TokenExchange,
  signal: AbortSignal | undefined,
): Promise<TokenEndpointResponse> {
  const server = { issuer: endpoint.origin, token_endpoint: endpoint.href }
  const registered = { client_id: client.clientId }
  const send = async (url: string, init: { headers: Record<string, string>; body: URLSearchParams }) => {
    const answer = await outbound.request({
      method: 'POST',
      url,
      headers: init.headers,
      body: init.body.toString(),
      project,
      timeoutMs,
      maxBytes: answerBytesMax,
      ...(signal && { signal }),
    })
    return Response.json(readTokenBody(answer, { provider: entry.displayName, secrets, now: now() }))
  }
  try {
    const response = await genericTokenEndpointRequest(
      server,
      registered,
      authenticationOf(clientAuthentication, client.clientSecret),
      grantType,
      parameters,
      // Whether plain http may be spoken is the guard's to say.
      { [customFetch]: send, [allowInsecureRequests]: true },
    )
    return await processGenericTokenEndpointResponse(server, registered, response)
  } catch (cause) {
    const { scope, sentence } = classifyFailure(cause)
    throw scope === 'service' ? cause : new TokenUnavailable(sentence, { cause })
  }
}

function authenticationOf(way: ClientAuthentication, clientSecret: string): ClientAuth {
  if (way === 'none') return None()
  return way === 'basic' ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret)
}
