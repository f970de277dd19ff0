import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ConnectionContext } from '../connector.ts'
import { resolveBaseUrl } from './base-url.ts'
import { connectionScope } from './connection-scope.ts'
import { textOf } from './request.ts'

/**
 * Returns the base of forwarded requests to the provider.
 *
 * @param module its base URL instead of the provider's; a module without one has the provider's
 * @throws InvalidInputs if the connection's metadata makes no usable URL
 */
export function proxyBase(
  entry: ProviderEntry,
  connection: Pick<ConnectionContext, 'metadata' | 'workspaceRef'>,
  module?: string,
): URL {
  const declared = module !== undefined && Object.hasOwn(entry.modules, module) ? entry.modules[module]?.baseUrl : ''
  return resolveBaseUrl(declared || entry.baseUrl, textOf(connectionScope(entry, connection)))
}
