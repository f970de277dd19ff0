import { type Kysely, sql } from 'kysely'
import { isId, type ProjectDb, prepared, type Tables } from '../../../../kernel/db/index.ts'

/** What a session shows of itself. */
export interface ShownSessionRow {
  id: string
  provider: string
  group_ref: string
  consumer_ref: string
  connection_id: string | null
  create_time: Date
  expire_time: Date
}

/** A session with what is encrypted in it. */
export interface ConnectSessionRow {
  project_id: string
  id: string
  encrypted: string
  /** Why the last attempt at the provider came to nothing, in a sentence of ours. */
  failure: string | null
  connection_id: string | null
  create_time: Date
  expire_time: Date
}

const shown = ['id', 'provider', 'group_ref', 'consumer_ref', 'connection_id', 'create_time', 'expire_time'] as const
const columns = ['project_id', 'id', 'encrypted', 'failure', 'connection_id', 'create_time', 'expire_time'] as const

export async function insertConnectSession(
  db: ProjectDb,
  session: {
    id: string
    tokenHash: Buffer
    provider: string
    groupRef: string
    consumerRef: string
    encrypted: string
    expireTime: Date
  },
): Promise<ShownSessionRow> {
  return await db.sql
    .insertInto('connect_sessions')
    .values({
      project_id: db.projectId,
      id: session.id,
      token_hash: session.tokenHash,
      provider: session.provider,
      group_ref: session.groupRef,
      consumer_ref: session.consumerRef,
      encrypted: session.encrypted,
      expire_time: session.expireTime,
    })
    .returning(shown)
    .executeTakeFirstOrThrow()
}

export async function findConnectSession(db: ProjectDb, id: string, now: Date): Promise<ShownSessionRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<ShownSessionRow>`${prepared}
    select ${sql.raw(shown.join(', '))} from connect_sessions
    where project_id = ${db.projectId} and id = ${id} and expire_time > ${now}`.execute(db.sql)
  return rows[0]
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
