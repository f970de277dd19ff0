import { type Kysely, type Selectable, sql } from 'kysely'
import { andIf, isId, type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'
import type { PageBounds } from '../../../kernel/http/index.ts'
import { accessSeconds, idleDays, type RefreshToken, sessionDays } from './secrets.ts'

export type AgentSessionRow = Selectable<Tables['agent_sessions']>

/** Times of a session that is used at `now`: without use it ends, and in any case some time after it began. */
const times = (now: Date, began: ReturnType<typeof sql>) => ({
  access: sql`${now}::timestamptz + ${accessSeconds} * interval '1 second'`,
  end: sql`least(${now}::timestamptz + ${idleDays} * interval '1 day', ${began} + ${sessionDays} * interval '1 day')`,
})

export async function insertAgentSession(
  tx: ProjectDb,
  session: Pick<AgentSessionRow, 'id' | 'client_id' | 'client_name' | 'group_ref' | 'consumer_ref' | 'access_hash'> &
    RefreshToken & { now: Date },
): Promise<void> {
  const { id, client_id, client_name, group_ref, consumer_ref, access_hash, familyHash, refreshHash, now } = session
  const { access, end } = times(now, sql`${now}::timestamptz`)
  await sql`
    insert into agent_sessions (project_id, id, client_id, client_name, group_ref, consumer_ref, access_hash,
      access_expire_time, family_hash, refresh_hash, create_time, expire_time)
    values (${tx.projectId}, ${id}, ${client_id}, ${client_name}, ${group_ref}, ${consumer_ref}, ${access_hash},
      ${access}, ${familyHash}, ${refreshHash}, ${now}, ${end})`.execute(tx.sql)
}

/** Gives a session new tokens for its current refresh token. Of concurrent requests, one gets the row. */
export async function refreshAgentSession(
  db: ProjectDb,
  {
    clientId,
    familyHash,
    refreshHash,
    next,
    now,
  }: RefreshToken & { clientId: string; next: { accessHash: Buffer; refreshHash: Buffer }; now: Date },
): Promise<AgentSessionRow | undefined> {
  const { access, end } = times(now, sql`create_time`)
  const { rows } = await sql<AgentSessionRow>`
    update agent_sessions set access_hash = ${next.accessHash}, access_expire_time = ${access},
      refresh_hash = ${next.refreshHash}, refresh_time = ${now}, expire_time = ${end}
     where project_id = ${db.projectId} and family_hash = ${familyHash} and refresh_hash = ${refreshHash}
       and client_id = ${clientId} and expire_time > ${now}
    returning *`.execute(db.sql)
  return rows[0]
}

/** Deletes the session of a refresh token that was used before. Returns its id. */
export async function deleteReusedSession(
  db: ProjectDb,
  { familyHash, refreshHash }: RefreshToken,
): Promise<string | undefined> {
  const row = await db.sql
    .deleteFrom('agent_sessions')
    .where('project_id', '=', db.projectId)
    .where('family_hash', '=', familyHash)
    .where('refresh_hash', '<>', refreshHash)
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Deletes the session of a token, for its client. */
export async function deleteSessionOfToken(
  db: ProjectDb,
  { clientId, ...token }: { clientId: string } & ({ accessHash: Buffer } | { familyHash: Buffer }),
): Promise<AgentSessionRow | undefined> {
  return await db.sql
    .deleteFrom('agent_sessions')
    .where('project_id', '=', db.projectId)
    .where('client_id', '=', clientId)
    .where((is) =>
      'accessHash' in token ? is('access_hash', '=', token.accessHash) : is('family_hash', '=', token.familyHash),
    )
    .returningAll()
    .executeTakeFirst()
}

/** Deletes a session. Returns false if there is none. */
export async function deleteAgentSession(db: ProjectDb, id: string): Promise<boolean> {
  if (!isId(id)) return false
  const row = await db.sql
    .deleteFrom('agent_sessions')
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function hasAgentSession(db: ProjectDb, id: string): Promise<boolean> {
  const { rows } = await sql`${prepared}
    select from agent_sessions where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows.length > 0
}

/** A session, with its project unless it is one of a builder. */
export type FoundAgentSession = AgentSessionRow & { project_name: string | null; org_id: string | null }

/** Finds the session of an access token with its project. Runs for each request with such a token. */
export async function findAgentSession(
  system: Kysely<Tables>,
  { accessHash, now }: { accessHash: Buffer; now: Date },
): Promise<FoundAgentSession | undefined> {
  const { rows } = await sql<FoundAgentSession>`${prepared}
    select s.*, p.name as project_name, p.org_id
      from agent_sessions s left join projects p on p.id = s.project_id
     where s.access_hash = ${accessHash} and s.access_expire_time > ${now} and s.expire_time > ${now}`.execute(system)
  return rows[0]
}

/** Lists sessions, newest first. */
export async function listAgentSessionRows(
  db: ProjectDb,
  { groupRef, consumerRef, now }: { groupRef?: string | undefined; consumerRef?: string | undefined; now: Date },
  { after, limit }: PageBounds,
): Promise<AgentSessionRow[]> {
  const { rows } = await sql<AgentSessionRow>`
    select * from agent_sessions
     where project_id = ${db.projectId} and expire_time > ${now}
       ${andIf(groupRef, (ref) => sql`group_ref = ${ref}`)}
       ${andIf(consumerRef, (ref) => sql`consumer_ref = ${ref}`)}
       ${andIf(after, (id) => sql`id < ${id}`)}
     order by id desc limit ${limit ?? null}`.execute(db.sql)
  return rows
}

export async function deleteExpiredAgentSessions(system: Kysely<Tables>, now: Date): Promise<void> {
  await system.deleteFrom('agent_sessions').where('expire_time', '<=', now).execute()
}
