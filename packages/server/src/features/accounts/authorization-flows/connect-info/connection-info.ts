import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { type ConnectionRow, connectionResource, findConnection, grantedScopes } from '../../connections/index.ts'
import { faultOfRow } from '../connect-page/fault-of.ts'
import { missingOf } from './missing-permissions.ts'
import type { ConnectInfo, MissingPermission } from './model.ts'

/**
 * Returns connections with what a customer has to know of them.
 *
 * @param integrationIds the only integrations whose needs count; undefined for all
 */
export async function connectionInfos(
  db: ProjectDb,
  services: { catalogue: Catalogue; keyring: Keyring },
  rows: readonly ConnectionRow[],
  integrationIds: readonly string[] | undefined,
): Promise<ConnectInfo['connections']> {
  const asking = rows.filter(({ auth_scheme }) => isAuthorized(auth_scheme))
  const granted = await grantedScopes(
    db,
    services,
    asking.map(({ connection_id }) => connection_id),
  )
  const missingFor = missingOf(db, services, integrationIds)
  const infos = rows.map(async (row) => {
    const displayName = services.catalogue.find(row.provider)?.displayName ?? row.provider
    const fault = faultOfRow(row, displayName)
    const failure = fault?.kind === 'refused' ? fault.words : fault?.reason
    const scopes = granted.get(row.connection_id)
    const missing = scopes && (await missingFor(row, scopes))
    return {
      ...connectionResource(row),
      ...(fault && { statusSince: sinceOf(row), ...(failure !== undefined && { failure }) }),
      ...(missing && missing.scopes.length > 0 && { missingScopes: missing.scopes }),
      ...(missing && missing.permissions.length > 0 && { missingPermissions: missing.permissions }),
    }
  })
  return await Promise.all(infos)
}

/** Returns what Mortise requested from one account and did not get. */
export async function missingPermissionsOf(
  db: ProjectDb,
  services: { catalogue: Catalogue; keyring: Keyring },
  connectionId: string,
  integrationIds?: readonly string[],
): Promise<MissingPermission[]> {
  const row = await findConnection(db, connectionId)
  const [info] = row ? await connectionInfos(db, services, [row], integrationIds) : []
  return info?.missingPermissions ?? []
}

function isAuthorized(scheme: ConnectionRow['auth_scheme']): boolean {
  return scheme.startsWith('oauth2/authorizationCode')
}

/** The row changed last when its status did: later checks of the same credential leave it. */
function sinceOf(row: ConnectionRow): Date {
  const changed = row.connection_update_time ?? row.connection_create_time
  return row.status === 'bad_credentials' ? changed : (row.check_time ?? changed)
}
