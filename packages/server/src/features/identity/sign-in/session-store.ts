import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'

export type SessionRow = Selectable<Tables['sessions']>
export type SessionKind = SessionRow['kind']
/** How the person signed in; undefined for sessions of before. */
export type SignInMethod = NonNullable<SessionRow['method']> | undefined

/** Where a session began. */
export interface SessionOrigin {
  address: string
  userAgent: string | undefined
}

export async function insertSession(
  tx: Kysely<Tables>,
  session: {
    id: string
    builderId: string
    kind: SessionKind
    tokenHash: Buffer
    expireTime: Date
    method: SignInMethod
    origin: SessionOrigin | undefined
    useTime: Date
    proofTime: Date | undefined
    mayChange: boolean | undefined
  },
): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      id: session.id,
      builder_id: session.builderId,
      kind: session.kind,
      token_hash: session.tokenHash,
      expire_time: session.expireTime,
      method: session.method ?? null,
      address: session.origin?.address ?? null,
      user_agent: session.origin?.userAgent ?? null,
      use_time: session.useTime,
      proof_time: session.proofTime ?? null,
      may_change: session.mayChange ?? null,
    })
    .execute()
}

/** Who a session belongs to, while it lasts. */
export interface SessionOwner {
  sessionId: string
  builderId: string
  email: string
  method: SignInMethod | null
  useTime: Date | null
  /** An organization requires a second factor, and the person has none. */
  lacksSecondFactor: boolean
  /** False for the session of an agent that may only read. */
  mayChange: boolean
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
    .select([
      'sessions.id as sessionId',
      'sessions.builder_id as builderId',
      'builders.email',
      'sessions.method',
      'sessions.use_time as useTime',
      sql<boolean>`sessions.kind <> 'agent' or coalesce(sessions.may_change, false)`.as('mayChange'),
      // An identity provider asks for its own second factor.
      sql<boolean>`sessions.method is distinct from 'single-sign-on'
        and exists (select from memberships join orgs on orgs.id = memberships.org_id
                     where memberships.builder_id = sessions.builder_id and orgs.require_second_factor)
        and not exists (select from factors where factors.builder_id = sessions.builder_id)`.as('lacksSecondFactor'),
    ])
}

/** Stores that a session was used, unless another node has just stored it. */
export async function updateUse(system: Kysely<Tables>, id: string, now: Date, unusedSince: Date): Promise<void> {
  await system
    .updateTable('sessions')
    .set({ use_time: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('use_time', 'is', null), eb('use_time', '<', unusedSince)]))
    .execute()
}

/** Sessions of a person that a list shows at most. */
const sessionsMax = 1_000

/** Lists the sessions of a builder, the newest first. */
export async function listSessions(system: Kysely<Tables>, builderId: string, now: Date): Promise<SessionRow[]> {
  return await system
    .selectFrom('sessions')
    .selectAll()
    .where('builder_id', '=', builderId)
    .where('expire_time', '>', now)
    .orderBy('create_time', 'desc')
    .orderBy('id')
    .limit(sessionsMax)
    .execute()
}

/** Returns when the person last proved in this session who they are. */
export async function findProofTime(system: Kysely<Tables>, id: string): Promise<Date | undefined> {
  const row = await system.selectFrom('sessions').select('proof_time').where('id', '=', id).executeTakeFirst()
  return row?.proof_time ?? undefined
}

export async function updateProofTime(tx: Kysely<Tables>, id: string, now: Date): Promise<void> {
  await tx.updateTable('sessions').set({ proof_time: now }).where('id', '=', id).execute()
}

/** Sets when a session ends. */
export async function extendSession(tx: Kysely<Tables>, id: string, expireTime: Date): Promise<void> {
  await tx.updateTable('sessions').set({ expire_time: expireTime }).where('id', '=', id).execute()
}

/** Ends one session of a builder. Returns whether there was one. */
export async function deleteSessionOf(tx: Kysely<Tables>, builderId: string, id: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('builder_id', '=', builderId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
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

/** Stores that a refresh token, or the code that started the session, must not come again. */
export async function insertUsedToken(tx: Kysely<Tables>, tokenHash: Buffer, sessionId: string): Promise<void> {
  await tx.insertInto('used_refresh_tokens').values({ token_hash: tokenHash, session_id: sessionId }).execute()
}

/** Ends the session that a refresh token or the code of a sign-in was used for. Returns its id, if there was one. */
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
