import { type Kysely, sql } from 'kysely'
import { isId, type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'

/** A session as it lies in the database. */
export interface ConnectSessionRow {
  project_id: string
  id: string
  sealed: string
  /** Why the last attempt at the provider came to nothing, in a sentence of ours. */
  failure: string | null
  connection_id: string | null
  create_time: Date
  expire_time: Date
}

const columns = ['project_id', 'id', 'sealed', 'failure', 'connection_id', 'create_time', 'expire_time'] as const

export async function insertConnectSession(
  db: ProjectDb,
  session: { id: string; tokenHash: Buffer; sealed: string; expireTime: Date },
): Promise<ConnectSessionRow> {
  return await db.sql
    .insertInto('connect_sessions')
    .values({
      project_id: db.projectId,
      id: session.id,
      token_hash: session.tokenHash,
      sealed: session.sealed,
      expire_time: session.expireTime,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export async function findConnectSession(db: ProjectDb, id: string, now: Date): Promise<ConnectSessionRow | undefined> {
  if (!isId(id)) return undefined
  return await db.sql
    .selectFrom('connect_sessions')
    .modifyFront(prepared)
    .select(columns)
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .where('expire_time', '>', now)
    .executeTakeFirst()
}

export async function findConnectSessionByToken(
  system: Kysely<Tables>,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<ConnectSessionRow | undefined> {
  return await system
    .selectFrom('connect_sessions')
    .select(columns)
    .where('token_hash', '=', tokenHash)
    .where('expire_time', '>', now)
    .executeTakeFirst()
}

/** The browser goes to the provider: the page waits for it, even beyond its time. An earlier failure is over. */
export async function extendConnectSession(db: ProjectDb, id: string, until: Date): Promise<void> {
  await db.sql
    .updateTable('connect_sessions')
    .set({ failure: null, expire_time: sql`greatest(expire_time, ${until})` })
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .execute()
}

/** What came of a session. One that has connected stays so. */
export async function settleConnectSession(
  db: ProjectDb,
  id: string,
  outcome: { connectionId: string } | { failure: string },
): Promise<void> {
  await db.sql
    .updateTable('connect_sessions')
    .set('connectionId' in outcome ? { connection_id: outcome.connectionId, failure: null } : outcome)
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .where('connection_id', 'is', null)
    .execute()
}

/** Removes the sessions whose time is over. */
export async function deleteExpiredConnectSessions(system: Kysely<Tables>, now: Date): Promise<void> {
  await system.deleteFrom('connect_sessions').where('expire_time', '<=', now).execute()
}
