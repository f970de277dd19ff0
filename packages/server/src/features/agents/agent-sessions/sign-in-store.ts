import { type Kysely, type Selectable, sql } from 'kysely'
import { isId, type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'

/**
 * A sign-in is `waiting` for the page where the person decides. It is then `completed` or `refused` until the browser
 * returns, which needs the ticket and its cookie. The browser of a completed one gets a code (`granted`), which ends it
 * when it is exchanged. Rows of exchanged codes stay for a day, so that a second exchange is noticed.
 */
export type SignInRow = Selectable<Tables['agent_sign_ins']>

export async function insertSignIn(
  db: ProjectDb,
  signIn: Pick<
    SignInRow,
    | 'id'
    | 'client_id'
    | 'client_name'
    | 'redirect_uri'
    | 'state'
    | 'code_challenge'
    | 'browser_hash'
    | 'create_time'
    | 'expire_time'
  >,
): Promise<void> {
  await db.sql
    .insertInto('agent_sign_ins')
    .values({ project_id: db.projectId, ...signIn })
    .execute()
}

export async function findSignIn(
  db: ProjectDb,
  id: string,
  now: Date,
  { locks = false }: { locks?: boolean } = {},
): Promise<SignInRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<SignInRow>`
    select * from agent_sign_ins
     where project_id = ${db.projectId} and id = ${id} and expire_time > ${now} ${locks ? sql`for update` : sql``}`.execute(
    db.sql,
  )
  return rows[0]
}

/** Stores the decision of a consumer at the builder's page, or of a builder. The caller has locked the row. */
export async function decideSignIn(
  tx: ProjectDb,
  id: string,
  decision: { ticketHash: Buffer } & (
    | { status: 'completed'; groupRef: string; consumerRef: string }
    | { status: 'completed'; builderSessionId: string; mayChange: boolean }
    | { status: 'refused' }
  ),
): Promise<void> {
  const refs =
    decision.status === 'refused'
      ? {}
      : 'groupRef' in decision
        ? { group_ref: decision.groupRef, consumer_ref: decision.consumerRef }
        : { builder_session_id: decision.builderSessionId, may_change: decision.mayChange }
  await tx.sql
    .updateTable('agent_sign_ins')
    .set({ status: decision.status, ticket_hash: decision.ticketHash, ...refs })
    .where('project_id', '=', tx.projectId)
    .where('id', '=', id)
    .execute()
}

/** Uses the ticket of a decided sign-in, in the browser that began it. A completed one gets a code. */
export async function useTicket(
  db: ProjectDb,
  id: string,
  {
    ticketHash,
    browserHash,
    codeHash,
    now,
    codeExpireTime,
  }: { ticketHash: Buffer; browserHash: Buffer; codeHash: Buffer; now: Date; codeExpireTime: Date },
): Promise<SignInRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<SignInRow>`
    update agent_sign_ins set ticket_hash = null,
      status = case status when 'completed' then 'granted' else 'ended' end,
      code_hash = case status when 'completed' then ${codeHash}::bytea end,
      code_expire_time = ${codeExpireTime}
     where project_id = ${db.projectId} and id = ${id} and ticket_hash = ${ticketHash}
       and browser_hash = ${browserHash} and expire_time > ${now}
    returning *`.execute(db.sql)
  return rows[0]
}

/** Ends a sign-in whose ticket another browser has. Returns whether there was one. */
export async function endSignIn(db: ProjectDb, id: string, ticketHash: Buffer): Promise<boolean> {
  if (!isId(id)) return false
  const row = await db.sql
    .deleteFrom('agent_sign_ins')
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .where('ticket_hash', '=', ticketHash)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Uses a code. Of concurrent requests, one gets the row; the others wait for its transaction, and get none. */
export async function useCode(
  tx: ProjectDb,
  { codeHash, sessionId, now, keepUntil }: { codeHash: Buffer; sessionId: string; now: Date; keepUntil: Date },
): Promise<SignInRow | undefined> {
  const { rows } = await sql<SignInRow>`
    update agent_sign_ins set status = 'ended', session_id = ${sessionId}, expire_time = ${keepUntil}
     where project_id = ${tx.projectId} and code_hash = ${codeHash} and status = 'granted'
       and code_expire_time > ${now}
    returning *`.execute(tx.sql)
  return rows[0]
}

/** Finds the session that a code gave, if it was used. */
export async function findUsedCode(tx: ProjectDb, codeHash: Buffer): Promise<string | undefined> {
  const { rows } = await sql<{ session_id: string | null }>`${prepared}
    select session_id from agent_sign_ins
     where project_id = ${tx.projectId} and code_hash = ${codeHash} and status = 'ended'`.execute(tx.sql)
  return rows[0]?.session_id ?? undefined
}

export async function deleteExpiredSignIns(system: Kysely<Tables>, now: Date): Promise<void> {
  await system.deleteFrom('agent_sign_ins').where('expire_time', '<=', now).execute()
}
