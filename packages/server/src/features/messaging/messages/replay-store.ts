import { type Kysely, type Selectable, sql } from 'kysely'
import { andIf, type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import type { MessageReplay, Selection } from './replay-model.ts'
import { messagesTopic } from './topic.ts'

export async function insertReplay(
  db: ProjectDb,
  replay: { id: string; selection: Selection },
): Promise<MessageReplay> {
  const row = await db.sql
    .insertInto('message_replays')
    .values({ project_id: db.projectId, id: replay.id, selection: JSON.stringify(replay.selection) })
    .returningAll()
    .executeTakeFirstOrThrow()
  return replayResource(row)
}

export async function findReplay(db: ProjectDb, id: string): Promise<MessageReplay | undefined> {
  const { rows } = await sql<Selectable<Tables['message_replays']>>`${prepared}
    select * from message_replays where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  const [row] = rows
  return row && replayResource(row)
}

/**
 * Locks a replay that is in progress. A second worker waits for this lock, and then continues after the first one's
 * step.
 */
export async function lockOpenReplay(
  tx: ProjectDb,
  id: string,
): Promise<{ selection: Selection; cursor: string | null } | undefined> {
  const row = await tx.sql
    .selectFrom('message_replays')
    .select(['selection', 'cursor'])
    .where('project_id', '=', tx.projectId)
    .where('id', '=', id)
    .where('status', '=', 'in_progress')
    .forUpdate()
    .executeTakeFirst()
  return row && { selection: row.selection as Selection, cursor: row.cursor }
}

/** Returns the ids that belong to messages, or to messages in one of some states. */
export async function findMessageIds(db: ProjectDb, ids: string[], states?: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from messages where project_id = ${db.projectId} and id = any(${ids}::uuid[])
       ${andIf(states, (some) => sql`state = any(${some})`)}`.execute(db.sql)
  return rows.map(({ id }) => id)
}

/** Finds the next messages of a range after the cursor. */
export async function findMessagesInRange(
  db: ProjectDb,
  range: Exclude<Selection, { ids: string[] }>,
  cursor: string | null,
  limit: number,
): Promise<string[]> {
  let query = db.sql
    .selectFrom('messages')
    .select('id')
    .where('project_id', '=', db.projectId)
    .where('id', '<', range.below)
    .orderBy('id')
    .limit(limit)
  const [state, ...others] = range.states
  // A filter by one state uses the index of failed messages; any other keeps the order of the index that it uses.
  query =
    others.length === 0 && state !== undefined
      ? query.where('state', '=', state)
      : query.where('state', 'in', range.states)
  if (range.from !== undefined) query = query.where('id', '>=', range.from)
  if (range.destinationId !== undefined) query = query.where('destination_id', '=', range.destinationId)
  if (cursor !== null) query = query.where('id', '>', cursor)
  return (await query.execute()).map(({ id }) => id)
}

/**
 * Restarts the retry schedule of ended messages: their first attempt is due now, and their attempts count on. Locks
 * them in the order of their ids, so that two replays of the same messages never deadlock. Skips pending messages.
 */
export async function requeueMessages(
  db: ProjectDb,
  ids: string[],
): Promise<{ id: string; destinationId: string | null }[]> {
  const { rows } = await sql<{ id: string | null; destination_id: string | null }>`
    with ended as materialized (
      select id from messages
       where project_id = ${db.projectId} and id = any(${ids}::uuid[]) and state <> 'pending'
       order by id for update
    ), again as (
      update messages
         set state = 'pending', failure = null, schedule_from = attempt, next_attempt_at = now(), lease_token = null, lease_until = null, end_time = null
       where project_id = ${db.projectId} and id = any(array(select id from ended))
      returning id, destination_id
    )
    select id, destination_id, null as published from again
    union all
    select null, null, published from (${publishRows(messagesTopic(db.projectId), 'changed', ids)}) t`.execute(db.sql)
  return rows.flatMap(({ id, destination_id }) => (id === null ? [] : [{ id, destinationId: destination_id }]))
}

/** Stores a step of a replay: its new cursor and its counts. */
export async function updateReplay(
  db: ProjectDb,
  id: string,
  step: { cursor: string | null; matched: number; requeued: number; missing: number; done: boolean },
): Promise<void> {
  await sql`
    update message_replays
       set cursor = ${step.cursor}, matched = matched + ${step.matched}::int, requeued = requeued + ${step.requeued}::int,
           skipped = skipped + ${step.matched - step.requeued}::int, missing = missing + ${step.missing}::int,
           status = case when ${step.done} then 'done' else status end, done_time = case when ${step.done} then now() end
     where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}

/** Finds the replays of all projects that are not complete, regardless of the worker. */
export async function findOpenReplays(db: Kysely<Tables>): Promise<{ projectId: string; replayId: string }[]> {
  const rows = await db
    .selectFrom('message_replays')
    .select(['project_id', 'id'])
    .where('status', '=', 'in_progress')
    .execute()
  return rows.map((row) => ({ projectId: row.project_id, replayId: row.id }))
}

/** Deletes replays of all projects that were completed this many days ago. */
export async function deleteOldReplays(db: Kysely<Tables>, days: number): Promise<void> {
  await sql`delete from message_replays where done_time < now() - make_interval(days => ${days}::int)`.execute(db)
}

function replayResource(row: Selectable<Tables['message_replays']>): MessageReplay {
  return {
    id: row.id,
    status: row.status,
    matched: row.matched,
    requeued: row.requeued,
    skipped: row.skipped,
    missing: row.missing,
    createTime: row.create_time,
    ...(row.done_time !== null && { doneTime: row.done_time }),
  }
}
