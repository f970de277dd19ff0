import { type Catalogue, withScheme } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { metadataValues } from '../../connection-inputs/index.ts'
import { type ConnectionRow, connectionResource, grantedScopes } from '../../connections/index.ts'
import { scopesToAsk } from '../../tokens/index.ts'
import { faultOfRow } from '../connect-page/fault-of.ts'
import type { ConnectInfo } from './model.ts'

/** Scopes that many providers take and do not return. */
const notReturned = new Set(['offline_access', 'offline', 'refresh_token', 'openid', 'profile', 'email'])

/** Returns connections with what a customer has to know of them. */
export async function connectionInfos(
  db: ProjectDb,
  services: { catalogue: Catalogue; keyring: Keyring },
  rows: readonly ConnectionRow[],
): Promise<ConnectInfo['connections']> {
  const asking = rows.filter(({ app_scopes: scopes, auth_scheme }) => isAuthorized(auth_scheme) && scopes?.length)
  const granted = await grantedScopes(
    db,
    services,
    asking.map(({ connection_id }) => connection_id),
  )
  return rows.map((row) => {
    const displayName = services.catalogue.find(row.provider)?.displayName ?? row.provider
    const fault = faultOfRow(row, displayName)
    const failure = fault?.kind === 'refused' ? fault.words : fault?.reason
    const scopes = granted.get(row.connection_id)
    const missing = scopes ? missingScopes(services.catalogue, row, scopes) : []
    return {
      ...connectionResource(row),
      ...(fault && { statusSince: sinceOf(row), ...(failure !== undefined && { failure }) }),
      ...(missing.length > 0 && { missingScopes: missing }),
    }
  })
}

function isAuthorized(scheme: ConnectionRow['auth_scheme']): boolean {
  return scheme.startsWith('oauth2/authorizationCode')
}

/** The row changed last when its status did: later checks of the same credential leave it. */
function sinceOf(row: ConnectionRow): Date {
  const changed = row.connection_update_time ?? row.connection_create_time
  return row.status === 'bad_credentials' ? changed : (row.check_time ?? changed)
}

function missingScopes(catalogue: Catalogue, row: ConnectionRow, granted: readonly string[]): string[] {
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
