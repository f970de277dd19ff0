import { addressValues, type Catalogue } from '@mortise/providers'
import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../kernel/encryption/index.ts'
import { insertedJob, type JobQueue } from '../../../kernel/jobs/index.ts'
import type { ConnectionValues, NewConnection } from '../connection-inputs/index.ts'
import { upsertConsumer, upsertGroup } from '../consumers/index.ts'
import { deleteCredentials, encryptCredential, type StoredCredential, upsertCredential } from '../credentials/index.ts'
import type { ConnectionHooks } from './hooks.ts'
import { verifyConnectionJob } from './job-references.ts'
import { nextStatus } from './model.ts'
import { ConnectionExists, ConnectionInUse, ConnectionNotFound } from './problems.ts'
import type { ConnectionRow } from './resource.ts'
import {
  deleteConnectionRows,
  findConnection,
  forgetMetadata,
  insertConnection,
  listUnusedConnections,
  lockConnectionOf,
  lockConnections,
  setWorkspaceRef,
  updateConnection,
} from './store.ts'
import { createWholeConnectionInsert, type InsertWholeConnection, jobsOfMade } from './whole-connection.ts'

/**
 * Stores a connection with its credential. The same account (provider, group, consumer and workspace) is updated in
 * place and keeps its id; anything else is a new connection. If the request has no metadata, the stored values that
 * determine the address are dropped. Part of the caller's transaction.
 */
export async function saveConnection(
  tx: ProjectDb,
  {
    newId,
    keyring,
    hooks,
    catalogue,
  }: { newId: NewId; keyring: Keyring; hooks: ConnectionHooks; catalogue: Catalogue },
  connection: NewConnection,
): Promise<string> {
  await upsertGroup(tx, connection.groupRef, connection.groupName)
  await upsertConsumer(tx, connection.consumerRef, connection.consumerName)
  const { id, isNew, from } = await insertOrLock(tx, newId, connection)
  const to = nextStatus(from, 'generated')
  if (!isNew) {
    // The new credential goes only to the address in the same request, never to that of an earlier one.
    const entry = catalogue.find(connection.provider)
    if (connection.providerMetadata === undefined) await forgetMetadata(tx, id, entry && [...addressValues(entry)])
    await updateConnection(tx, id, to, connection)
  }
  const encrypted = encryptCredential(createEnvelope(keyring), tx.projectId, id, connection.credential)
  await upsertCredential(tx, id, encrypted, connection.credential)
  await hooks.connectionCreated(tx, { connectionId: id, isNew })
  if (from !== to) await hooks.connectionStatusChanged(tx, { connectionId: id, from, to })
  return id
}

/** The statements of each service in this process. */
const inserts = new WeakMap<JobQueue, InsertWholeConnection>()

/**
 * Creates a connection that is new and has no consequences in other features, in one statement, with the job that
 * checks its credential. Returns undefined otherwise: then save it in a transaction.
 */
export async function createConnection(
  db: ProjectDb,
  { newId, keyring, hooks, queue }: { newId: NewId; keyring: Keyring; hooks: ConnectionHooks; queue: JobQueue },
  connection: NewConnection,
  entry: object | undefined,
): Promise<ConnectionRow | undefined> {
  let insert = inserts.get(queue)
  if (!insert) {
    const insertJobs = await queue.insertion(verifyConnectionJob, jobsOfMade)
    insert = inserts.get(queue) ?? createWholeConnectionInsert(hooks.followsNewConnection, insertJobs)
    inserts.set(queue, insert)
  }
  const id = newId()
  const row = await insert({
    db,
    id,
    connection,
    encrypted: encryptCredential(createEnvelope(keyring), db.projectId, id, connection.credential),
    entry,
    job: insertedJob(verifyConnectionJob, { projectId: db.projectId, connectionId: id }, id),
  })
  if (row) queue.announce(verifyConnectionJob)
  return row
}

/** The new values of a connection whose account was authorized again. */
export interface Reauthorisation extends ConnectionValues {
  id: string
  /** Set only if the connection has no workspace yet. */
  providerWorkspaceRef: string | undefined
  credential: StoredCredential
}

/**
 * Stores the credential of a new authorization of the same account. Part of the caller's transaction.
 *
 * @throws ConnectionNotFound if it was deleted meanwhile
 * @throws ConnectionExists if its workspace, known only now, is that of another connection
 */
export async function reauthoriseConnection(
  tx: ProjectDb,
  { keyring, hooks }: { keyring: Keyring; hooks: ConnectionHooks },
  { id, credential, providerWorkspaceRef, ...values }: Reauthorisation,
): Promise<string> {
  // The same lock as for an update of the address: the workspace is part of a unique index.
  await lockConnections(tx, { ids: [id] })
  const row = await findConnection(tx, id)
  if (!row) throw new ConnectionNotFound()
  const to = nextStatus(row.status, 'generated')
  await updateConnection(tx, id, to, values)
  if (row.provider_workspace_ref === null && providerWorkspaceRef !== undefined)
    await setWorkspaceRef(tx, id, providerWorkspaceRef).catch((cause: { code?: unknown }) => {
      throw cause.code === uniqueViolation ? new ConnectionExists({ cause }) : cause
    })
  await upsertCredential(tx, id, encryptCredential(createEnvelope(keyring), tx.projectId, id, credential), credential)
  await hooks.connectionCreated(tx, { connectionId: id, isNew: false })
  if (row.status !== to) await hooks.connectionStatusChanged(tx, { connectionId: id, from: row.status, to })
  return id
}

/** SQLSTATE: another connection already uses this account. */
const uniqueViolation = '23505'

async function insertOrLock(tx: ProjectDb, newId: NewId, connection: NewConnection) {
  // Two attempts, in case the connection is deleted between the two statements.
  for (let attempt = 0; attempt < 2; attempt++) {
    const id = newId()
    if (await insertConnection(tx, id, connection)) return { id, isNew: true, from: 'created' as const }
    const existing = await lockConnectionOf(tx, connection)
    if (existing) return { id: existing.id, isNew: false, from: existing.status }
  }
  throw new Error('a connection came and went while it was being saved')
}

/**
 * Deletes a connection and its credential. A concurrent installation that uses it waits for the lock, and then finds it
 * deleted.
 *
 * @throws ConnectionNotFound, ConnectionInUse
 */
export async function removeConnection(tx: ProjectDb, services: { hooks: ConnectionHooks }, id: string): Promise<void> {
  await lockConnections(tx, { ids: [id] })
  if ((await deleteUnusedConnections(tx, services, [id])) > 0) return
  throw (await findConnection(tx, id)) ? new ConnectionInUse() : new ConnectionNotFound()
}

/**
 * Deletes the given connections that no installation uses, with their credentials. Returns how many. The caller has
 * locked them (`lockConnections`).
 */
export async function deleteUnusedConnections(
  tx: ProjectDb,
  { hooks }: { hooks: ConnectionHooks },
  ids: string[],
): Promise<number> {
  const unused = await listUnusedConnections(tx, ids)
  if (unused.length === 0) return 0
  await hooks.connectionsDeleting(tx, { connectionIds: unused })
  await deleteConnectionRows(tx, unused)
  await deleteCredentials(tx, unused)
  return unused.length
}
