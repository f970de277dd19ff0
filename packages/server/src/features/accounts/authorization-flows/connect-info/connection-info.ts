import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import {
  type ConnectionRow,
  connectionResource,
  grantedScopes,
  missingScopes,
  scopesOnDemandFor,
} from '../../connections/index.ts'
import { faultOfRow } from '../connect-page/fault-of.ts'
import type { ConnectInfo } from './model.ts'

/** Returns connections with what a customer has to know of them. */
export async function connectionInfos(
  db: ProjectDb,
  services: { catalogue: Catalogue; keyring: Keyring },
  rows: readonly ConnectionRow[],
): Promise<ConnectInfo['connections']> {
  const asking = rows.filter(({ auth_scheme }) => isAuthorized(auth_scheme))
  const granted = await grantedScopes(
    db,
    services,
    asking.map(({ connection_id }) => connection_id),
  )
  const { catalogue } = services
  // The same for all connections through one app.
  const onDemand = new Map<string, Promise<string[]>>()
  const onDemandFor = (row: ConnectionRow) => {
    const key = `${row.provider} ${row.app_id}`
    const known = onDemand.get(key) ?? scopesOnDemandFor(db, catalogue, row)
    onDemand.set(key, known)
    return known
  }
  const infos = rows.map(async (row) => {
    const displayName = services.catalogue.find(row.provider)?.displayName ?? row.provider
    const fault = faultOfRow(row, displayName)
    const failure = fault?.kind === 'refused' ? fault.words : fault?.reason
    const scopes = granted.get(row.connection_id)
    const missing = scopes ? missingScopes(catalogue, row, scopes, await onDemandFor(row)) : []
    return {
      ...connectionResource(row),
      ...(fault && { statusSince: sinceOf(row), ...(failure !== undefined && { failure }) }),
      ...(missing.length > 0 && { missingScopes: missing }),
    }
  })
  return await Promise.all(infos)
}

function isAuthorized(scheme: ConnectionRow['auth_scheme']): boolean {
  return scheme.startsWith('oauth2/authorizationCode')
}

/** The row changed last when its status did: later checks of the same credential leave it. */
function sinceOf(row: ConnectionRow): Date {
  const changed = row.connection_update_time ?? row.connection_create_time
  return row.status === 'bad_credentials' ? changed : (row.check_time ?? changed)
}
