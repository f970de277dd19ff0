import { sql } from 'kysely'
import { andIf, isId, type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import type { Confinement } from '../../../kernel/http/index.ts'
import { credentialExpiry, type StoredCredential } from './credential.ts'
import type { ConnectionRow } from './resource.ts'
import { connectionColumns, connectionTables } from './store.ts'

/** A connection with its sealed credential. */
export interface SealedConnectionRow extends ConnectionRow {
  sealed: string
  generation: number
  /** The app that its tokens were issued to. */
  provider_app_id: string | null
  /** When the credential was stored. */
  credential_time: Date
  /** When its tokens were last renewed. */
  renew_time: Date | null
  /** Not before when they may be renewed again. */
  retry_at: Date | null
  renewal_failures: number
  /** The error that a renewal was refused with; null while none was, and again with the next generation. */
  refused: string | null
}

/**
 * Sets a connection's credential. Each one has the next generation number, so that a report about an older one can be
 * told apart. One with a refresh token is looked at by the background within the hour, which plans its renewals.
 */
export async function upsertCredential(
  tx: ProjectDb,
  connectionId: string,
  sealed: string,
  credential: StoredCredential,
): Promise<void> {
  const keptAlive = credential.scheme === 'oauth2' && credential.refreshToken !== undefined
  await sql`
    insert into connection_credentials as k (project_id, connection_id, sealed, expire_time, renew_at)
    values (${tx.projectId}, ${connectionId}, ${sealed}, ${credentialExpiry(credential) ?? null},
      case when ${keptAlive} then now() + random() * interval '1 hour' end)
    on conflict (project_id, connection_id) do update set sealed = excluded.sealed, expire_time = excluded.expire_time,
      generation = k.generation + 1, update_time = now(), renew_time = null, renew_at = excluded.renew_at, retry_at = null,
      renewal_failures = 0, refused = null`.execute(tx.sql)
}

/** With a consumer token, only those of its group are there. */
export async function findSealedConnection(
  db: ProjectDb,
  id: string,
  confinedTo?: Confinement,
): Promise<SealedConnectionRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<SealedConnectionRow>`${prepared}
    select ${connectionColumns}, c.provider_app_id, k.sealed, k.generation, k.update_time as credential_time, k.renew_time,
      k.retry_at, k.renewal_failures, k.refused
    from ${connectionTables}
    join connection_credentials k on k.project_id = c.project_id and k.connection_id = c.id
    where c.project_id = ${db.projectId} and c.id = ${id}
      ${andIf(confinedTo?.groupRef, (ref) => sql`c.group_ref = ${ref}`)}`.execute(db.sql)
  return rows[0]
}

export async function credentialGeneration(db: ProjectDb, connectionId: string): Promise<number | undefined> {
  const { rows } = await sql<{ generation: number }>`
    select generation from connection_credentials
    where project_id = ${db.projectId} and connection_id = ${connectionId}`.execute(db.sql)
  return rows[0]?.generation
}

/** Tells what is reported of the credential so far apart from what comes: it is used elsewhere from now on. */
export async function advanceGeneration(tx: ProjectDb, connectionId: string): Promise<void> {
  await sql`
    update connection_credentials set generation = generation + 1, retry_at = null, renewal_failures = 0, refused = null
    where project_id = ${tx.projectId} and connection_id = ${connectionId}`.execute(tx.sql)
}

export async function deleteCredentials(tx: ProjectDb, connectionIds: string[]): Promise<void> {
  await sql`
    delete from connection_credentials
    where project_id = ${tx.projectId} and connection_id = any(${connectionIds})`.execute(tx.sql)
}
