import type { ProviderEntry } from '../catalogue/entry.ts'
import type { MetadataInput } from '../catalogue/format/metadata-input.ts'
import { missingForObjects } from '../catalogue/inputs.ts'
import type { ConnectionContext } from '../connector.ts'
import { resolveBaseUrl } from './base-url.ts'
import { connectionScope } from './connection-scope.ts'
import { type Scope, textOf } from './scope.ts'
import { parseTemplate, render } from './template.ts'

/** What requests of a connection have in common. It never changes, so all connectors of a connection share it. */
export interface ConnectionParts {
  readonly scope: Scope
  /** Headers of every request to the provider: those of its file, and the format of the response. */
  readonly headers: Readonly<Record<string, string>>
  /** Returns the base URL that a template makes. Nobody may change it. @throws InvalidInputs */
  baseUrl(text: string): URL
  /** Returns the inputs that objects of a module need, and that have no value. */
  missing(module: string | undefined): readonly MetadataInput[]
}

interface Kept {
  entry: ProviderEntry
  workspaceRef: string | undefined
  parts: ConnectionParts
}

const keptParts = new WeakMap<ConnectionContext['metadata'], Kept>()

/** Returns the parts of a connection, compiled once for as long as its metadata is kept, which nobody may change. */
export function connectionParts(
  entry: ProviderEntry,
  connection: Pick<ConnectionContext, 'metadata' | 'workspaceRef'>,
): ConnectionParts {
  const { metadata, workspaceRef } = connection
  const kept = keptParts.get(metadata)
  if (kept && kept.entry === entry && kept.workspaceRef === workspaceRef) return kept.parts
  const parts = compileParts(entry, connection)
  keptParts.set(metadata, { entry, workspaceRef, parts })
  return parts
}

function compileParts(
  entry: ProviderEntry,
  connection: Pick<ConnectionContext, 'metadata' | 'workspaceRef'>,
): ConnectionParts {
  const scope = connectionScope(entry, connection)
  const bases = new Map<string, URL>()
  const missing = new Map<string | undefined, readonly MetadataInput[]>()
  return {
    scope,
    headers: fixedHeadersOf(entry, scope),
    baseUrl(text) {
      const url = bases.get(text) ?? resolveBaseUrl(text, textOf(scope))
      bases.set(text, url)
      return url
    },
    missing(module) {
      const inputs = missing.get(module) ?? missingForObjects(entry, module, connection.metadata)
      missing.set(module, inputs)
      return inputs
    },
  }
}

function fixedHeadersOf(entry: ProviderEntry, scope: Scope): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' }
  for (const [name, text] of Object.entries(entry.file?.headers ?? {})) {
    const value = render(parseTemplate(text), textOf(scope))
    if (value !== undefined) headers[name.toLowerCase()] = value
  }
  return headers
}
