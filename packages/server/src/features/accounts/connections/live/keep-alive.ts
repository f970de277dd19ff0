import { NoConnector } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { createEnvelope } from '../../../../kernel/encryption/index.ts'
import type { Services } from '../../../../services.ts'
import { openCredential } from '../credential.ts'
import { findSealedConnection } from '../credential-store.ts'
import { ConnectionNotFound } from '../problems.ts'
import { CredentialRefused, CredentialUnavailable } from './renewal-errors.ts'
import { keepAliveAt } from './renewal-rules.ts'
import { planRenewal } from './renewal-store.ts'
import { providerKeepAliveHours } from './snapshot.ts'

/**
 * Renews the tokens of a connection if that is due, and plans when to look at it next. A credential that was only just
 * stored, or was renewed by its use, is planned alone.
 */
export async function keepAlive(
  db: ProjectDb,
  services: Pick<Services, 'keyring' | 'catalogue' | 'liveConnections' | 'now'>,
  connectionId: string,
): Promise<void> {
  const row = await findSealedConnection(db, connectionId)
  if (!row) return
  const stored = openCredential(createEnvelope(services.keyring), db.projectId, row.connection_id, row.sealed)
  const renewAt = keepAliveAt(stored, {
    since: row.renew_time ?? row.credential_time,
    random: Math.random(),
    everyHours: providerKeepAliveHours(services.catalogue, row),
  })
  const isDue = renewAt !== undefined && renewAt <= services.now()
  if (!isDue || (row.refused !== null && row.retry_at === null))
    return planRenewal(db, row.connection_id, isDue ? undefined : renewAt)
  try {
    await services.liveConnections.renew(db.projectId, row.connection_id, 'keep-alive')
  } catch (error) {
    // Both are kept with the credential, and when to try again.
    if (error instanceof CredentialRefused || error instanceof CredentialUnavailable) return
    if (error instanceof ConnectionNotFound || error instanceof NoConnector) return
    throw error
  }
}
