import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'

export type SessionRow = Selectable<Tables['sessions']>
export type SessionKind = SessionRow['kind']

export async function insertSession(
  tx: Kysely<Tables>,
  session: { id: string; builderId: string; kind: SessionKind; tokenHash: Buffer; expireTime: Date },
): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      id: session.id,
      builder_id: session.builderId,
      kind: session.kind,
      token_hash: session.tokenHash,
      expire_time: session.expireTime,
    })
    .execute()
}

/** Who a session belongs to, while it lasts. */
export interface SessionOwner {
  sessionId: string
  builderId: string
  email: string
}

export async function findSession(system: Kysely<Tables>, id: string, now: Date): Promise<SessionOwner | undefined> {
  return await owners(system).where('sessions.id', '=', id).where('sessions.expire_time', '>', now).executeTakeFirst()
}

/** The session that a token of one of these kinds belongs to. */
export async function findSessionByToken(
  system: Kysely<Tables>,
  tokenHash: Buffer,
  kinds: SessionKind[],
  now: Date,
): Promise<SessionOwner | undefined> {
  return await owners(system)
    .where('sessions.token_hash', '=', tokenHash)
    .where('sessions.kind', 'in', kinds)
    .where('sessions.expire_time', '>', now)
    .executeTakeFirst()
}

function owners(system: Kysely<Tables>) {
  return system
    .selectFrom('sessions')
    .innerJoin('builders', 'builders.id', 'sessions.builder_id')
    .select(['sessions.id as sessionId', 'sessions.builder_id as builderId', 'builders.email'])
}

/**
 * Gives a session its next refresh token. Of two requests with the same token the second waits for the first, and then
 * finds it used.
 */
export async function updateRefreshToken(
  tx: Kysely<Tables>,
  change: { from: Buffer; to: Buffer; now: Date; expireTime: Date },
): Promise<{ sessionId: string; builderId: string } | undefined> {
  return await tx
    .updateTable('sessions')
    .set((eb) => ({ token_hash: change.to, refresh_time: eb.fn('now', []), expire_time: change.expireTime }))
    .where('token_hash', '=', change.from)
    .where('kind', '=', 'api')
    .where('expire_time', '>', change.now)
    .returning(['id as sessionId', 'builder_id as builderId'])
    .executeTakeFirst()
}

export async function insertUsedToken(tx: Kysely<Tables>, tokenHash: Buffer, sessionId: string): Promise<void> {
  await tx.insertInto('used_refresh_tokens').values({ token_hash: tokenHash, session_id: sessionId }).execute()
}

/** Ends the session that a token was used in before. Answers its id, when there was one. */
export async function deleteSessionOfUsedToken(tx: Kysely<Tables>, tokenHash: Buffer): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('sessions')
    .where('id', '=', (eb) =>
      eb.selectFrom('used_refresh_tokens').select('session_id').where('token_hash', '=', tokenHash),
    )
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

export async function deleteSession(tx: Kysely<Tables>, id: string): Promise<void> {
  await tx.deleteFrom('sessions').where('id', '=', id).execute()
}

/** Ends every session of a builder, except the one that is kept. Returns their ids. */
export async function deleteSessions(tx: Kysely<Tables>, builderId: string, keptId?: string): Promise<string[]> {
  let ended = tx.deleteFrom('sessions').where('builder_id', '=', builderId)
  if (keptId !== undefined) ended = ended.where('id', '!=', keptId)
  return (await ended.returning('id').execute()).map(({ id }) => id)
}
