import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../../kernel/encryption/index.ts'
import { type ConnectionHandles, classifyFailure } from '../../../provider-calls/calls/index.ts'
import { openCredential, planRenewal } from '../../credentials/index.ts'
import { keepAliveAt } from '../../tokens/index.ts'
import { findEncryptedConnection } from '../encrypted-connection.ts'
import { providerKeepAliveHours } from './snapshot.ts'

/**
 * Renews the tokens of a connection if that is due, and plans when to look at it next. A credential that was only just
 * stored, or was renewed by its use, is planned alone.
 */
export async function keepAlive(
  db: ProjectDb,
  services: { keyring: Keyring; catalogue: Catalogue; connectionHandles: ConnectionHandles; now: () => Date },
  connectionId: string,
): Promise<void> {
  const row = await findEncryptedConnection(db, connectionId)
  if (!row) return
  const stored = openCredential(createEnvelope(services.keyring), db.projectId, row.connection_id, row.encrypted)
  const renewAt = keepAliveAt(stored, {
    since: row.renew_time ?? row.credential_time,
    random: Math.random(),
    everyHours: providerKeepAliveHours(services.catalogue, row),
  })
  const isDue = renewAt !== undefined && renewAt <= services.now()
  if (!isDue || (row.refused !== null && row.retry_at === null))
    return planRenewal(db, { connectionId, generation: row.generation }, isDue ? undefined : renewAt)
  try {
    await services.connectionHandles.renew(db.projectId, row.connection_id, 'keep-alive')
  } catch (error) {
    // What the provider refuses is stored with the credential, and when to try again.
    if (classifyFailure(error).scope === 'service') throw error
  }
}
