import type { ProjectDb } from '../../kernel/db/index.ts'
import { createEnvelope } from '../../kernel/seal/index.ts'
import type { Services } from '../../services.ts'
import { credentialExpiry, type StoredCredential, sealCredential } from './credential.ts'
import { deleteCredentials, upsertCredential } from './credential-store.ts'
import { nextStatus } from './model.ts'
import { upsertConsumer, upsertGroup } from './people-store.ts'
import { ConnectionInUse, ConnectionNotFound } from './problems.ts'
import {
  type ConnectionIdentity,
  type ConnectionValues,
  deleteConnectionRows,
  findConnection,
  insertConnection,
  listUnusedConnections,
  lockConnectionOf,
  lockConnectionsForDelete,
  updateConnection,
} from './store.ts'

/** A connection to be made, or made anew: whichever way its credential was obtained. */
export interface NewConnection extends ConnectionIdentity, ConnectionValues {
  groupName: string | undefined
  consumerName: string | undefined
  credential: StoredCredential
}

/**
 * Keeps a connection with its credential. The same account (provider, group, consumer and workspace) is updated in place and keeps
 * its id; anything else is a new connection. Part of the caller's transaction.
 */
export async function saveConnection(
  tx: ProjectDb,
  { newId, keyring, hooks }: Pick<Services, 'newId' | 'keyring' | 'hooks'>,
  connection: NewConnection,
): Promise<string> {
  await upsertGroup(tx, connection.groupRef, connection.groupName)
  await upsertConsumer(tx, connection.consumerRef, connection.consumerName)
  const { id, isNew, from } = await insertOrLock(tx, newId, connection)
  const to = nextStatus(from, 'generated')
  if (!isNew) await updateConnection(tx, id, to, connection)
  const sealed = sealCredential(createEnvelope(keyring), tx.projectId, id, connection.credential)
  await upsertCredential(tx, id, sealed, credentialExpiry(connection.credential))
  await hooks.connectionCreated(tx, { connectionId: id, isNew })
  if (from !== to) await hooks.connectionStatusChanged(tx, { connectionId: id, from, to })
  return id
}

async function insertOrLock(tx: ProjectDb, newId: Services['newId'], connection: NewConnection) {
  // Twice, for a connection that is deleted between the two statements.
  for (let attempt = 0; attempt < 2; attempt++) {
    const id = newId()
    if (await insertConnection(tx, id, connection, connection)) return { id, isNew: true, from: 'created' as const }
    const existing = await lockConnectionOf(tx, connection)
    if (existing) return { id: existing.id, isNew: false, from: existing.status }
  }
  throw new Error('a connection came and went while it was being saved')
}

/**
 * Deletes a connection and its credential. An installation that is being made on it meanwhile waits, and finds it gone.
 *
 * @throws ConnectionNotFound, ConnectionInUse
 */
export async function removeConnection(tx: ProjectDb, services: Pick<Services, 'hooks'>, id: string): Promise<void> {
  await lockConnectionsForDelete(tx, [id])
  if ((await deleteUnusedConnections(tx, services, [id])) > 0) return
  throw (await findConnection(tx, id)) ? new ConnectionInUse() : new ConnectionNotFound()
}

/**
 * Deletes those of some connections that no installation uses, with their credentials; answers how many. The caller has locked them
 * (`lockConnectionsForDelete`).
 */
export async function deleteUnusedConnections(
  tx: ProjectDb,
  { hooks }: Pick<Services, 'hooks'>,
  ids: string[],
): Promise<number> {
  const unused = await listUnusedConnections(tx, ids)
  if (unused.length === 0) return 0
  await hooks.connectionsDeleting(tx, { connectionIds: unused })
  await deleteConnectionRows(tx, unused)
  await deleteCredentials(tx, unused)
  return unused.length
}
