import { type Kysely, sql } from 'kysely'
import { isId, type ProjectDb, prepared, type Tables } from '../../../../kernel/db/index.ts'
import type { SessionPurpose } from '../../../../kernel/http/index.ts'

/** What the token of a session is limited to; absent for all. */
export interface SessionLimits {
  providers?: string[]
  integrationIds?: string[]
}

/** What a session shows of itself. */
export interface ShownSessionRow {
  id: string
  purpose: SessionPurpose
  limits: SessionLimits | null
  /** Empty if the session is not for one provider. */
  provider: string
  group_ref: string
  consumer_ref: string
  /** Why the last attempt at the provider came to nothing, in a sentence of ours. */
  failure: string | null
  connection_id: string | null
  create_time: Date
  expire_time: Date
}

/** A session with what is encrypted in it. */
export interface ConnectSessionRow extends ShownSessionRow {
  project_id: string
  encrypted: string
}

/** A session as the token of a request finds it. */
export interface TokenSessionRow extends Omit<ShownSessionRow, 'provider' | 'failure' | 'create_time'> {
  project_id: string
  provider: string
  project_name: string
  org_id: string
}

const shown = sql.raw(
  'id, purpose, limits, provider, group_ref, consumer_ref, failure, connection_id, create_time, expire_time',
)

export async function insertConnectSession(
  db: ProjectDb,
  session: {
    id: string
    tokenHash: Buffer
    purpose: SessionPurpose
    limits: SessionLimits
    provider: string
    groupRef: string
    consumerRef: string
    encrypted: string
    expireTime: Date
  },
): Promise<ShownSessionRow> {
  const { rows } = await sql<ShownSessionRow>`
    insert into connect_sessions
      (project_id, id, token_hash, purpose, limits, provider, group_ref, consumer_ref, encrypted, expire_time)
    values (${db.projectId}, ${session.id}, ${session.tokenHash}, ${session.purpose}, ${JSON.stringify(session.limits)},
      ${session.provider}, ${session.groupRef}, ${session.consumerRef}, ${session.encrypted}, ${session.expireTime})
    returning ${shown}`.execute(db.sql)
  const [row] = rows
  if (row === undefined) throw new Error('The connect session was not stored.')
  return row
}

export async function findConnectSession(db: ProjectDb, id: string, now: Date): Promise<ShownSessionRow | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await sql<ShownSessionRow>`${prepared}
    select ${shown} from connect_sessions
    where project_id = ${db.projectId} and id = ${id} and expire_time > ${now}`.execute(db.sql)
  return rows[0]
}

/** Finds a session with what is encrypted in it, by the id that its token names. */
export async function findOwnSession(db: ProjectDb, id: string): Promise<ConnectSessionRow | undefined> {
  const { rows } = await sql<ConnectSessionRow>`${prepared}
    select project_id, encrypted, ${shown} from connect_sessions
    where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows[0]
}

export async function findConnectSessionByToken(
  system: Kysely<Tables>,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<ConnectSessionRow | undefined> {
  const { rows } = await sql<ConnectSessionRow>`${prepared}
    select project_id, encrypted, ${shown} from connect_sessions
    where token_hash = ${tokenHash} and expire_time > ${now}`.execute(system)
  return rows[0]
}

/** Finds the session of a token with its project. Runs for each request with such a token. */
export async function findSessionOfToken(
  system: Kysely<Tables>,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<TokenSessionRow | undefined> {
  const { rows } = await sql<TokenSessionRow>`${prepared}
    select s.project_id, s.id, s.purpose, s.limits, s.provider, s.group_ref, s.consumer_ref, s.connection_id, s.expire_time,
      p.name as project_name, p.org_id
    from connect_sessions s join projects p on p.id = s.project_id
    where s.token_hash = ${tokenHash} and s.expire_time > ${now}`.execute(system)
  return rows[0]
}

/**
 * The browser goes to the provider: the page waits for it, even beyond its time, but once only: a session must not live
 * for as long as somebody starts again. An earlier failure is over.
 *
 * @param minutes how long a session may live with the extension, from its creation
 */
export async function extendConnectSession(
  db: ProjectDb,
  id: string,
  { until, minutes }: { until: Date; minutes: number },
): Promise<void> {
  await sql`
    update connect_sessions set failure = null,
      expire_time = greatest(expire_time, least(${until}::timestamptz, create_time + ${minutes} * interval '1 minute'))
    where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}

/** Forgets why an earlier attempt failed. */
export async function clearFailure(db: ProjectDb, id: string): Promise<void> {
  await sql`
    update connect_sessions set failure = null
    where project_id = ${db.projectId} and id = ${id} and failure is not null`.execute(db.sql)
}

/** What came of a session. One that connects one account keeps the first; asking it again may still fail. */
export async function settleConnectSession(
  db: ProjectDb,
  id: string,
  outcome: { connectionId: string } | { failure: string },
): Promise<void> {
  const change =
    'connectionId' in outcome
      ? sql`connection_id = case when purpose = 'connect' and connection_id is not null then connection_id
          else ${outcome.connectionId} end, failure = null`
      : sql`failure = ${outcome.failure}`
  await sql`
    update connect_sessions set ${change}
    where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}

/** Removes the sessions whose time is over. */
export async function deleteExpiredConnectSessions(system: Kysely<Tables>, now: Date): Promise<void> {
  await system.deleteFrom('connect_sessions').where('expire_time', '<=', now).execute()
}
