import { hostVariable, isAllowedHost, type ProviderEntry } from '@mortise/providers'
import type { AuthorizationServer } from '../credentials/index.ts'

/**
 * Returns whether a provider app may be used at an authorization server that was looked up. If the file fixes the host
 * of the MCP server, the server is the provider's. Otherwise a customer chose it, and the app must allow its hosts.
 */
export function mayUseApp(
  entry: ProviderEntry,
  { authorizationEndpoint, tokenEndpoint }: AuthorizationServer,
  allowedHosts: readonly string[],
): boolean {
  if (hostVariable(entry.baseUrl) === undefined) return true
  return [authorizationEndpoint, tokenEndpoint].every((url) => isAllowedHost(allowedHosts, new URL(url)))
}
