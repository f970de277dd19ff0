import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { credentialExpiry, type StoredCredential } from './credential.ts'

/** The columns of a stored credential that a connection is read with: `credentialColumns`. */
export interface CredentialRow {
  encrypted: string
  generation: number
  /** When the credential was stored. */
  credential_time: Date
  /** When its tokens were last renewed. */
  renew_time: Date | null
  /** The earliest time of the next renewal. */
  retry_at: Date | null
  renewal_failures: number
  /** The error that a renewal was refused with; null while none was, and again with the next generation. */
  refused: string | null
}

/** The columns of `CredentialRow`, of the table `connection_credentials` as k; `connections` joins it. */
export const credentialColumns = sql`
  k.encrypted, k.generation, k.update_time as credential_time, k.renew_time, k.retry_at, k.renewal_failures, k.refused`

/** Returns the columns of a credential that a statement stores. */
export function credentialValues(encrypted: string, credential: StoredCredential) {
  return {
    encrypted,
    expire_time: credentialExpiry(credential) ?? null,
    is_kept_alive: credential.scheme === 'oauth2' && credential.refreshToken !== undefined,
  }
}

/**
 * Stores the credentials of new connections: the values of `input`, for the rows `made`, both of the statement that
 * this is part of.
 */
export const credentialInsert = sql`
  insert into connection_credentials (project_id, connection_id, encrypted, expire_time, renew_at)
  select made.project_id, made.id, input.encrypted, input.expire_time,
    case when input.is_kept_alive then now() + random() * interval '1 hour' end
  from made join input on input.id = made.id`

/**
 * Stores a connection's credential. Each credential has the next generation number, so that reports about an older one
 * can be dropped. The background task plans the renewals of one with a refresh token within the hour.
 */
export async function upsertCredential(
  tx: ProjectDb,
  connectionId: string,
  encrypted: string,
  credential: StoredCredential,
): Promise<void> {
  const { expire_time, is_kept_alive } = credentialValues(encrypted, credential)
  await sql`
    insert into connection_credentials as k (project_id, connection_id, encrypted, expire_time, renew_at)
    values (${tx.projectId}, ${connectionId}, ${encrypted}, ${expire_time},
      case when ${is_kept_alive} then now() + random() * interval '1 hour' end)
    on conflict (project_id, connection_id) do update set encrypted = excluded.encrypted, expire_time = excluded.expire_time,
      generation = k.generation + 1, update_time = now(), renew_time = null, renew_at = excluded.renew_at, retry_at = null,
      renewal_failures = 0, refused = null, needed_scopes = null`.execute(tx.sql)
}

/** Returns the generation of the stored credential. */
export async function credentialGeneration(db: ProjectDb, connectionId: string): Promise<number | undefined> {
  const { rows } = await sql<{ generation: number }>`
    select generation from connection_credentials
    where project_id = ${db.projectId} and connection_id = ${connectionId}`.execute(db.sql)
  return rows[0]?.generation
}

/** Starts a new generation of the same credential, which is used at another address: earlier reports are dropped. */
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
