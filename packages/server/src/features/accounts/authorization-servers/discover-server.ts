import {
  AuthorizationNotDiscovered,
  type ConnectionValues,
  type DiscoveredAuthorization,
  discoverAuthorization,
  InvalidInputs,
  mcpServerUrl,
  type ProviderEntry,
} from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { AddressGuard, Outbound } from '../../../kernel/net/index.ts'
import type { AuthorizationServer } from '../credentials/index.ts'
import { discoveryNetwork } from './discovery-network.ts'

/**
 * Looks up the authorization server of a provider's MCP server.
 *
 * @param issuer the only one that the provider file accepts
 * @throws AuthorizationNotDiscovered
 */
export async function discoverServer(
  db: ProjectDb,
  services: { outbound: Outbound; guard: AddressGuard },
  { entry, values, issuer }: { entry: ProviderEntry; values: ConnectionValues; issuer?: string | undefined },
  signal: AbortSignal,
): Promise<DiscoveredAuthorization> {
  const network = discoveryNetwork(services, { project: db.projectId, signal })
  return await discoverAuthorization(urlOf(entry, values), network, { issuer })
}

function urlOf(entry: ProviderEntry, values: ConnectionValues): URL {
  try {
    return mcpServerUrl(entry, values)
  } catch (cause) {
    if (!(cause instanceof InvalidInputs)) throw cause
    throw new AuthorizationNotDiscovered('unusable', 'The values of the account make no address of an MCP server.', {
      cause,
    })
  }
}

/** Returns what flows and connections keep of an authorization server. */
export function keptServer(found: DiscoveredAuthorization): AuthorizationServer {
  const { issuer, authorizationEndpoint, tokenEndpoint, resource, namesIssuer, clientAuthentication: methods } = found
  const method = (['basic', 'body'] as const).find((one) => methods?.includes(one))
  return {
    issuer,
    authorizationEndpoint,
    tokenEndpoint,
    resource,
    namesIssuer,
    ...(method && { clientAuthentication: method }),
  }
}
