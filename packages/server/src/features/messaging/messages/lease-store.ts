import { type RawBuilder, sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import { messagesTopic } from './topic.ts'

/** A message that this worker may send until its lease ends. */
export interface ClaimedMessage {
  id: string
  payload: Buffer
  hasResult: boolean
  /** Its content. */
  kind: string
  /** The event of a notification. */
  eventType: string | undefined
  /** Attempts that have ended. */
  attempt: number
  /** Attempts that had ended when its retry schedule began. */
  scheduleFrom: number
  token: string
  /** Its object of an installation, if it was claimed in order: at most one message of a sequence is being sent. */
  sequence?: string
}

/** A claimed message in the database. */
export interface ClaimedRow {
  id: string
  payload: Buffer
  has_result: boolean
  attempt: number
  schedule_from: number
  kind: string
  event_type: string | null
}

/** The columns of a `ClaimedRow`. */
export const claimedColumns = sql.raw('id, payload, has_result, attempt, schedule_from, kind, event_type')

export function messageOfRow(row: ClaimedRow, token: string): ClaimedMessage {
  const { id, payload, has_result, attempt, schedule_from, kind, event_type } = row
  const eventType = event_type ?? undefined
  return { id, payload, hasResult: has_result, kind, eventType, attempt, scheduleFrom: schedule_from, token }
}

/**
 * Claims due messages of a destination, new ones by their order time. Claimed messages stay in the index, because a
 * claim that writes to indexes would cost half as much again. The next claim skips the leased ones, which are the few
 * hundred of one worker.
 *
 * @param claim.bytesMax stops after the message that exceeds this sum
 */
export async function claimMessages(
  db: ProjectDb,
  claim: { destinationId: string; token: string; limit: number; bytesMax: number; leaseSeconds: number },
): Promise<ClaimedMessage[]> {
  const { rows } = await sql<ClaimedRow>`
    select ${claimedColumns}
      from claim_due_messages(${db.projectId}, ${claim.destinationId}, ${claim.token}, ${claim.limit},
                              ${claim.bytesMax}, make_interval(secs => ${claim.leaseSeconds}))`.execute(db.sql)
  return rows.map((row) => messageOfRow(row, claim.token))
}

/** Whether enough messages of a destination are due to send them together. */
export async function isCollected(
  db: ProjectDb,
  { destinationId, count, bytes, waitMs }: { destinationId: string; count: number; bytes: number; waitMs: number },
): Promise<boolean> {
  const { rows } = await sql<{ is_collected: boolean }>`
    select is_collected(${db.projectId}, ${destinationId}, ${count}, ${bytes}, make_interval(secs => ${waitMs / 1_000}))`.execute(
    db.sql,
  )
  return rows[0]?.is_collected ?? false
}

/**
 * Extends the leases of claimed messages. A lease that another worker has taken stays with that worker. A message that
 * is being settled meanwhile is skipped, so that neither statement waits for the other.
 *
 * Without a join: with statistics of a time at which few messages waited, the planner expects none, and compares each
 * message with each other. 10,000 leases took 45 s.
 */
export async function renewLeases(db: ProjectDb, leased: ClaimedMessage[], leaseSeconds: number): Promise<void> {
  const ids = leased.map(({ id }) => id)
  const tokens = [...new Set(leased.map(({ token }) => token))]
  await sql`
    update messages set lease_until = now() + make_interval(secs => ${leaseSeconds})
     where project_id = ${db.projectId} and id = any(${ids}::uuid[])
       and id = any(array(select id from messages
                           where project_id = ${db.projectId} and id = any(${ids}::uuid[])
                             and lease_token = any(${tokens}::uuid[])
                             for update skip locked))`.execute(db.sql)
}

/** The result of a claimed message. */
export interface Settlement {
  id: string
  token: string
  /** `pending` with a delay: to be retried or released. */
  state: 'delivered' | 'failed' | 'pending'
  /** Why it failed; only with `failed`. */
  failure?: 'refused' | 'exhausted'
  /** Attempts that have ended now. */
  attempt: number
  /** Time until it is due again. */
  delayMs: number
  /** The attempt that ended, unless the message is released without one. */
  ended?: { status?: number; error?: string; response?: string; durationMs: number }
}

/** Attempts that were stored, of messages of one object of an installation. */
export interface SettledAttempts {
  installationId: string
  objectName: string
  attempts: number
  failed: number
}

/**
 * Settles claimed messages and stores their attempts, in one statement. Returns how many attempts it stored. The lease
 * fences each: a message that another worker has leased since is skipped. Only pending messages have a lease.
 */
export async function settleMessages(
  db: ProjectDb,
  destinationId: string,
  settlements: readonly Settlement[],
): Promise<SettledAttempts[]> {
  const { rows } = await settlementOf(db.projectId, destinationId, settlements).execute(db.sql)
  return rows.flatMap((row) => (row.installationId === null ? [] : [row]))
}

/**
 * Returns the statement that settles messages.
 *
 * An array accompanies the join. With the statistics of a new partition, the planner scans all rows of the partition
 * for each message when it has only the join: 150 ms instead of 2. The array also limits the scan to the days of the
 * ids. It has no condition on the state: with statistics of a time at which few messages waited, the planner would
 * expect no row, and compare each message with each settlement.
 */
export function settlementOf(
  projectId: string,
  destinationId: string,
  settlements: readonly Settlement[],
): RawBuilder<SettledAttempts | { installationId: null }> {
  const attempted = settlements.flatMap(({ id, ended }) => (ended ? [id] : []))
  const results = JSON.stringify(
    settlements.map(({ id, token, state, failure, attempt, delayMs, ended }) => ({
      id,
      token,
      state,
      failure,
      attempt,
      delay: delayMs / 1000,
      status: ended?.status,
      error: ended?.error,
      response: ended?.response,
      duration: ended?.durationMs,
    })),
  )
  return sql<SettledAttempts | { installationId: null }>`
    with settled as (
      update messages m
         set state = r.state, failure = r.failure, attempt = r.attempt, lease_token = null, lease_until = null,
             next_attempt_at = now() + make_interval(secs => r.delay),
             end_time = case when r.state = 'pending' then null else now() end
        from json_to_recordset(${results}::json)
               r (id uuid, token uuid, state text, failure text, attempt int, delay float8, status int, error text, response text, duration int)
       where m.project_id = ${projectId} and m.id = any(${settlements.map(({ id }) => id)}::uuid[])
         and m.id = r.id and m.lease_token = r.token
      returning r.*, m.installation_id, m.object_name
    ), kept as (
      insert into attempts (project_id, message_id, number, destination_id, status, error, response, duration_ms)
      select ${projectId}, id, attempt, ${destinationId}, status, error, response, duration from settled where duration is not null
    )
    select installation_id as "installationId", coalesce(object_name, '') as "objectName", count(*) as attempts,
           count(*) filter (where state <> 'delivered') as failed, null as published
      from settled where duration is not null and installation_id is not null group by installation_id, object_name
    union all
    select null, null, null, null, published
      from (${publishRows(messagesTopic(projectId), 'changed', attempted)}) t`
}
