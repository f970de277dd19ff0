import { type Catalogue, lackingScopes, scopeRulesOf, withScheme } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { scopesOnDemand } from '../../integrations/integrations/index.ts'
import { scopesOfApp } from '../../integrations/provider-apps/index.ts'
import { metadataValues } from '../connection-inputs/index.ts'
import { scopesToAsk } from '../tokens/index.ts'
import type { ConnectionRow } from './resource.ts'

/** Scopes that many providers take and do not return. */
const notReturned = new Set(['offline_access', 'offline', 'refresh_token', 'openid', 'profile', 'email'])

/**
 * Returns the scopes that Mortise asks for and the account did not grant: those of the provider app, and at some
 * providers those that integrations need. A broader scope counts for those that it includes.
 *
 * @param onDemand what `scopesOnDemandFor` returns for the connection
 */
export function missingScopes(
  catalogue: Catalogue,
  row: ConnectionRow,
  granted: readonly string[],
  onDemand: readonly string[],
): string[] {
  const entry = catalogue.find(row.provider)
  if (!entry) return []
  const values = {
    metadata: metadataValues(row.provider_metadata),
    ...(row.provider_workspace_ref !== null && { workspaceRef: row.provider_workspace_ref }),
  }
  const scheme = row.scheme_name === null ? undefined : withScheme(entry, row.scheme_name)
  const known = granted.flatMap((scope) => scope.split(/[\s,]/))
  const asked = [...(row.app_scopes ?? []), ...onDemand]
  return scopesToAsk(scheme ?? entry, asked, values).filter(
    (scope) =>
      !notReturned.has(scope) && lackingScopes(scopeRulesOf(scheme ?? entry) ?? {}, [[scope]], known).length > 0,
  )
}

/** Returns the scopes that integrations need and the provider app of a connection does not list. */
export async function scopesOnDemandFor(db: ProjectDb, catalogue: Catalogue, row: ConnectionRow): Promise<string[]> {
  const entry = catalogue.find(row.provider)
  return entry
    ? await scopesOnDemand(db, entry, scopesOfApp({ scopes: row.app_scopes, metadata: row.app_metadata }))
    : []
}
