import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { type ConnectionRow, connectionResource, grantedScopes, missingScopes } from '../../connections/index.ts'
import { faultOfRow } from '../connect-page/fault-of.ts'
import type { ConnectInfo } from './model.ts'

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
