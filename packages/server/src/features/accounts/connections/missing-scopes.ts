import { type Catalogue, withScheme } from '@mortise/providers'
import { metadataValues } from '../connection-inputs/index.ts'
import { scopesToAsk } from '../tokens/index.ts'
import type { ConnectionRow } from './resource.ts'

/** Scopes that many providers take and do not return. */
const notReturned = new Set(['offline_access', 'offline', 'refresh_token', 'openid', 'profile', 'email'])

/** Returns the scopes of the provider app that the account did not grant. */
export function missingScopes(catalogue: Catalogue, row: ConnectionRow, granted: readonly string[]): string[] {
  const entry = catalogue.find(row.provider)
  if (!entry) return []
  const values = {
    metadata: metadataValues(row.provider_metadata),
    ...(row.provider_workspace_ref !== null && { workspaceRef: row.provider_workspace_ref }),
  }
  const scheme = row.scheme_name === null ? undefined : withScheme(entry, row.scheme_name)
  const known = new Set(granted.flatMap((scope) => scope.split(/[\s,]+/)))
  return scopesToAsk(scheme ?? entry, row.app_scopes ?? [], values).filter(
    (scope) => !known.has(scope) && !notReturned.has(scope),
  )
}
