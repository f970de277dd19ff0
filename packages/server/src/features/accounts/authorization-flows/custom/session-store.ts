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

/** Takes a session away: of two that bring its id one finds it. */
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

/** The session that waits for a browser with this state; undefined where nobody waits for it. */
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

/** Removes what nobody went on with. */
export async function deleteExpiredSessions(system: Kysely<Tables>, now: Date): Promise<void> {
  await system.deleteFrom('custom_auth_sessions').where('expire_time', '<=', now).execute()
}
