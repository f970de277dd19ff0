import type { ProviderEntry } from '../catalogue/entry.ts'
import { joinPath, resolveBaseUrl } from '../interpreter/base-url.ts'
import { connectionScope } from '../interpreter/connection-scope.ts'
import type { ConnectionValues } from '../interpreter/connection-values.ts'
import { textOf } from '../interpreter/request.ts'
import { parseTemplate, render } from '../interpreter/template.ts'
import { NoConnector } from '../provider-error.ts'

/**
 * Returns the address of the provider's MCP server for a connection.
 *
 * @throws NoConnector if the provider file has no MCP server
 * @throws InvalidInputs if the connection's values make no usable URL
 */
export function mcpServerUrl(entry: ProviderEntry, values: ConnectionValues): URL {
  const { name, mcp, baseUrl } = entry
  if (mcp === undefined) throw new NoConnector(name, undefined, `The provider file of ${name} has no MCP server.`)
  const text = textOf(connectionScope(entry, values))
  const base = resolveBaseUrl(baseUrl, text)
  const path = mcp.path === undefined ? undefined : render(parseTemplate(mcp.path), text, encodeURIComponent)
  return path === undefined ? base : joinPath(base, path)
}
