import { fillTemplate, type ProviderEntry } from '@mortise/providers'
import { oauth2Scheme } from './oauth2-scheme.ts'

/**
 * Scopes as the provider takes them: one that its file maps is made of the connection's values (`.default` of a
 * Dynamics tenant), any other goes as it is.
 */
export function scopesToAsk(
  entry: ProviderEntry,
  scopes: readonly string[],
  values: { metadata: Record<string, string>; workspaceRef?: string },
): string[] {
  const mappings = oauth2Scheme(entry)?.scopeMappings ?? {}
  return scopes.map((scope) =>
    Object.hasOwn(mappings, scope) ? (fillTemplate(entry, mappings[scope] ?? '', values) ?? scope) : scope,
  )
}
