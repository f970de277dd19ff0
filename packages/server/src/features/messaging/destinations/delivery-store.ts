import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import { breakerFailures, disableAfterDays } from './delivery-rules.ts'
import { messagesTopic } from './messages-topic.ts'

/** A message that this drain may send until its lease ends. */
export interface ClaimedMessage {
  id: string
  payload: Buffer
  hasResult: boolean
  /** Attempts that have ended. */
  attempt: number
  /** Attempts that had ended when it was put on the ladder; rungs count from there. */
  ladderFrom: number
  token: string
}

/**
 * Claims due messages of a destination, oldest first. They stay in the index of what is due, since a claim that wrote
 * to indexes would cost half as much again: the next claim steps over those that are held, which are the few hundred of
 * one drain.
 *
 * @param claim.bytesMax stops after the message that passes this sum
 */
export async function claimMessages(
  db: ProjectDb,
  claim: { destinationId: string; token: string; limit: number; bytesMax: number; leaseSeconds: number },
): Promise<ClaimedMessage[]> {
  const { rows } = await sql<{
    id: string
    payload: Buffer
    has_result: boolean
    attempt: number
    ladder_from: number
  }>`
    select id, payload, has_result, attempt, ladder_from
      from claim_messages(${db.projectId}, ${claim.destinationId}, ${claim.token}, ${claim.limit}, ${claim.bytesMax},
                          make_interval(secs => ${claim.leaseSeconds}))`.execute(db.sql)
  return rows.map(({ id, payload, has_result, attempt, ladder_from }) => ({
    id,
    payload,
    hasResult: has_result,
    attempt,
    ladderFrom: ladder_from,
    token: claim.token,
  }))
}

/** Holds claimed messages for longer. Those whose lease has passed to another drain stay with it. */
export async function renewLeases(db: ProjectDb, held: ClaimedMessage[], leaseSeconds: number): Promise<void> {
  await sql`
    update messages m
       set lease_until = now() + make_interval(secs => ${leaseSeconds})
      from unnest(${held.map(({ id }) => id)}::uuid[], ${held.map(({ token }) => token)}::uuid[]) h (id, token)
     where m.project_id = ${db.projectId} and m.id = any(${held.map(({ id }) => id)}::uuid[])
       and m.id = h.id and m.lease_token = h.token and m.state = 'pending'`.execute(db.sql)
}

/** What became of a claimed message. */
export interface Settlement {
  id: string
  token: string
  /** `pending` with a delay: to be tried again, or given back. */
  state: 'delivered' | 'failed' | 'pending'
  /** Attempts that have ended now. */
  attempt: number
  /** Until it is due again. */
  delayMs: number
  /** The attempt that ended, unless the message is given back without one. */
  ended?: { status?: number; error?: string; response?: string; durationMs: number }
}

/**
 * Settles claimed messages and keeps their attempts, in one statement. Each is fenced by its lease: one that has passed
 * to another drain is left to that. (An array beside the join: with the statistics of a partition that has just begun,
 * the join alone was planned as a scan of all its rows for each message, 150 ms instead of 2. It also leads to the days
 * of the ids alone.)
 */
export async function settleMessages(
  db: ProjectDb,
  destinationId: string,
  settlements: readonly Settlement[],
): Promise<void> {
  const attempted = settlements.flatMap(({ id, ended }) => (ended ? [id] : []))
  const results = JSON.stringify(
    settlements.map(({ id, token, state, attempt, delayMs, ended }) => ({
      id,
      token,
      state,
      attempt,
      delay: delayMs / 1000,
      status: ended?.status,
      error: ended?.error,
      response: ended?.response,
      duration: ended?.durationMs,
    })),
  )
  await sql`
    with settled as (
      update messages m
         set state = r.state, attempt = r.attempt, lease_token = null, lease_until = null,
             next_attempt_at = now() + make_interval(secs => r.delay),
             end_time = case when r.state = 'pending' then null else now() end
        from json_to_recordset(${results}::json)
               r (id uuid, token uuid, state text, attempt int, delay float8, status int, error text, response text, duration int)
       where m.project_id = ${db.projectId} and m.id = any(${settlements.map(({ id }) => id)}::uuid[])
         and m.id = r.id and m.lease_token = r.token and m.state = 'pending'
      returning r.*
    ), kept as (
      insert into attempts (project_id, message_id, number, destination_id, status, error, response, duration_ms)
      select ${db.projectId}, id, attempt, ${destinationId}, status, error, response, duration from settled where duration is not null
    )
    ${publishRows(messagesTopic(db.projectId), 'changed', attempted)}`.execute(db.sql)
}

/** What a destination did lately, in the order in which its attempts ended. */
export interface Health {
  /** Whether one of the attempts succeeded. */
  succeeded: boolean
  /** Failures after the last success. */
  failures: number
  /** Whether this drain took the probe. */
  probing: boolean
  /** Until the next probe, should deliveries be held from now on. */
  probeDelayMs: number
}

/**
 * Keeps the account of a destination's failures; says whether they have lasted too long. An attempt at a URL that has
 * been changed meanwhile says nothing about the new one.
 */
export async function updateDestinationHealth(
  db: ProjectDb,
  destination: { id: string; urlChanges: number },
  health: Health,
): Promise<{ lasting: boolean } | undefined> {
  const { succeeded, failures, probing } = health
  const { rows } = await sql<{ lasting: boolean }>`
    update destinations d
       set failure_count = n.count,
           first_failure_at = case when ${failures}::int = 0 then null when ${succeeded} then now() else coalesce(first_failure_at, now()) end,
           probe_at = case when n.count < ${breakerFailures} then null
                           when ${succeeded || probing} or probe_at is null then now() + make_interval(secs => ${health.probeDelayMs / 1000})
                           else probe_at end,
           probe_rung = case when n.count < ${breakerFailures} or ${succeeded} then 0 when ${probing} then probe_rung + 1 else probe_rung end
      from (select id, case when ${succeeded} then 0 else failure_count end + ${failures}::int as count
              from destinations where project_id = ${db.projectId} and id = ${destination.id} for update) n
     where d.project_id = ${db.projectId} and d.id = n.id and d.disabled_time is null and d.url_changes = ${destination.urlChanges}
    returning coalesce(first_failure_at < now() - make_interval(days => ${disableAfterDays}), false) as lasting`.execute(
    db.sql,
  )
  return rows[0]
}

/**
 * Takes the probe of a destination that is due for one. While it runs, nobody else takes it; should this process die,
 * soon another does.
 */
export async function takeProbe(db: ProjectDb, id: string, holdSeconds: number): Promise<boolean> {
  const { rows } = await sql`
    update destinations set probe_at = now() + make_interval(secs => ${holdSeconds})
     where project_id = ${db.projectId} and id = ${id} and probe_at <= now()
    returning id`.execute(db.sql)
  return rows.length > 0
}

/** Disables a destination that is enabled and still has that URL; answers its name when this call did it. */
export async function disableDestination(
  db: ProjectDb,
  destination: { id: string; urlChanges: number },
  reason: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    update destinations set disabled_time = now(), disabled_reason = ${reason}, update_time = now()
     where project_id = ${db.projectId} and id = ${destination.id} and disabled_time is null and url_changes = ${destination.urlChanges}
    returning name`.execute(db.sql)
  return rows[0]?.name
}
