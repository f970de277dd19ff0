import type { ProviderEntry } from '../catalogue/entry.ts'
import type { ConnectionContext } from '../connector.ts'
import { type Scope, scopeOf } from './scope.ts'

/** Variables of a connection: its metadata inputs (with their defaults) and `workspace`. */
export function connectionScope(
  entry: Pick<ProviderEntry, 'inputs'>,
  connection: Pick<ConnectionContext, 'metadata' | 'workspaceRef'>,
): Scope {
  const values: Record<string, unknown> = {}
  for (const input of entry.inputs) if (input.default !== undefined) values[input.name] = input.default
  if (connection.workspaceRef !== undefined && connection.workspaceRef !== '')
    values['workspace'] = connection.workspaceRef
  for (const [name, value] of Object.entries(connection.metadata)) if (value !== '') values[name] = value
  return scopeOf(values)
}
