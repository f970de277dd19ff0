import type { Kysely } from 'kysely'
import type { ProjectDb, Tables } from '../../../../kernel/db/index.ts'

export async function insertSession(
  db: ProjectDb,
  session: {
    sessionHash: Buffer
    stateHash: Buffer
    openerOrigin: string | undefined
    encrypted: string
    expireTime: Date
  },
): Promise<void> {
  await db.sql
    .insertInto('custom_auth_sessions')
    .values({
      project_id: db.projectId,
      session_hash: session.sessionHash,
      state_hash: session.stateHash,
      opener_origin: session.openerOrigin ?? null,
      encrypted: session.encrypted,
      expire_time: session.expireTime,
    })
    .execute()
}

/** Claims and deletes a session. Of two concurrent calls, one succeeds. */
export async function claimSession(
  db: ProjectDb,
  { sessionHash, now }: { sessionHash: Buffer; now: Date },
): Promise<{ encrypted: string } | undefined> {
  return await db.sql
    .deleteFrom('custom_auth_sessions')
    .where('project_id', '=', db.projectId)
    .where('session_hash', '=', sessionHash)
    .where('expire_time', '>', now)
    .returning('encrypted')
    .executeTakeFirst()
}

/** Returns the session that waits for a browser with this state; undefined if there is none. */
export async function findWaitingSession(
  system: Kysely<Tables>,
  { stateHash, now }: { stateHash: Buffer; now: Date },
): Promise<{ project_id: string; session_hash: Buffer; encrypted: string } | undefined> {
  return await system
    .selectFrom('custom_auth_sessions')
    .select(['project_id', 'session_hash', 'encrypted'])
    .where('state_hash', '=', stateHash)
    .where('expire_time', '>', now)
    .executeTakeFirst()
}

/** Deletes expired sessions. */
export async function deleteExpiredSessions(system: Kysely<Tables>, now: Date): Promise<void> {
  await system.deleteFrom('custom_auth_sessions').where('expire_time', '<=', now).execute()
}
