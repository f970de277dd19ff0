import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ConnectionContext } from '../connector.ts'
import { resolveBaseUrl } from './base-url.ts'
import { textOf } from './request.ts'
import { connectionScope } from './session.ts'

/**
 * What paths of requests that are passed through to the provider are put behind.
 *
 * @param module its base URL instead of the provider's; a module that has none of its own has the provider's
 * @throws InvalidInputs when the connection's metadata makes no usable URL
 */
export function proxyBase(
  entry: ProviderEntry,
  connection: Pick<ConnectionContext, 'metadata' | 'workspaceRef'>,
  module?: string,
): URL {
  const declared = module !== undefined && Object.hasOwn(entry.modules, module) ? entry.modules[module]?.baseUrl : ''
  return resolveBaseUrl(declared || entry.baseUrl, textOf(connectionScope(entry, connection)))
}
