import { sql } from 'kysely'
import { andIf, type ProjectDb } from '../../../kernel/db/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import type { DeadLetter, FailureReason } from './dead-letter-model.ts'
import { messagesTopic } from './topic.ts'

export interface DeadLetterFilter {
  destinationId?: string | undefined
  reason?: FailureReason | undefined
  kind?: string | undefined
  objectName?: string | undefined
  /** Those of any of these. */
  installationIds?: readonly string[] | undefined
  /** Ids from this one on. */
  from?: string | undefined
  /** Ids below this one. */
  below?: string | undefined
}

interface Row {
  id: string
  destination_id: string | null
  destination_name: string
  kind: DeadLetter['kind']
  event_type: string | null
  installation_id: string | null
  operation_id: string | null
  object_name: string | null
  reason: FailureReason
  attempt: number
  payload_bytes: number
  split_from: string | null
  corrected_by: string | null
  correct_time: Date | null
  create_time: Date
  end_time: Date | null
  error: string | null
  response: string | null
}

/** Failed messages of an earlier release do not say why. Those were tried until their attempts were used, as a rule. */
const reason = sql`coalesce(m.failure, 'exhausted')`

const columns = sql`m.id, m.destination_id, m.destination_name, m.kind, m.event_type, m.installation_id, m.operation_id,
  m.object_name, ${reason} as reason, m.attempt, m.payload_bytes, m.split_from, m.corrected_by, m.correct_time, m.create_time, m.end_time`

/**
 * Lists dead letters, newest message first, each with the error of its last attempt. The indexes of failed messages
 * have their order, so the cost follows the page size.
 */
export async function listDeadLetters(db: ProjectDb, filter: DeadLetterFilter, limit: number): Promise<DeadLetter[]> {
  if (filter.installationIds?.length === 0) return []
  const { rows } = await sql<Row>`
    select found.*, a.error, a.response from (
      select ${columns} from messages m
       where m.project_id = ${db.projectId} and m.state = 'failed'
         ${andIf(filter.destinationId, (id) => sql`m.destination_id = ${id}`)}
         ${andIf(filter.reason, (wanted) => sql`${reason} = ${wanted}`)}
         ${andIf(filter.kind, (kind) => sql`m.kind = ${kind}`)}
         ${andIf(filter.objectName, (name) => sql`m.object_name = ${name}`)}
         ${andIf(filter.installationIds, (ids) => sql`m.installation_id = any(${ids}::uuid[])`)}
         ${andIf(filter.from, (id) => sql`m.id >= ${id}`)}
         ${andIf(filter.below, (id) => sql`m.id < ${id}`)}
       order by m.id desc limit ${limit}) found
      left join lateral (
        select error, response from attempts
         where project_id = ${db.projectId} and message_id = found.id and number = found.attempt) a on true
     order by found.id desc`.execute(db.sql)
  return rows.map(deadLetter)
}

/** A dead letter with its body. */
export interface StoredDeadLetter {
  deadLetter: DeadLetter
  payload: Buffer
  hasResult: boolean
  /** The result of a message that is too large to contain it. */
  result: Buffer | null
  originalRecords: Buffer | null
}

/** Finds a dead letter. With `lock`, nobody else changes or sends it until the transaction ends. */
export async function findDeadLetter(
  db: ProjectDb,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<StoredDeadLetter | undefined> {
  const { rows } = await sql<
    Row & { payload: Buffer; has_result: boolean; result: Buffer | null; original_records: Buffer | null }
  >`
    select ${columns}, m.payload, m.has_result, m.original_records,
           (select error from attempts where project_id = m.project_id and message_id = m.id and number = m.attempt) as error,
           (select response from attempts where project_id = m.project_id and message_id = m.id and number = m.attempt) as response,
           (select body from message_results where project_id = m.project_id and id = m.id) as result
      from messages m
     where m.project_id = ${db.projectId} and m.id = ${id} and m.state = 'failed'
     ${lock ? sql`for update of m` : sql``}`.execute(db.sql)
  const [row] = rows
  return (
    row && {
      deadLetter: deadLetter(row),
      payload: row.payload,
      hasResult: row.has_result,
      result: row.result,
      originalRecords: row.original_records,
    }
  )
}

/** Stores corrected records. The records before the first correction are kept. */
export async function updateDeadLetterRecords(
  tx: ProjectDb,
  id: string,
  corrected: { payload: Buffer; result: Buffer | undefined; before: Buffer; by: string },
): Promise<void> {
  const { payload, result, before, by } = corrected
  await sql`
    with written as (
      insert into message_results (project_id, id, body)
      select ${tx.projectId}, ${id}, ${result ?? null}::bytea where ${result !== undefined}
      on conflict (project_id, id) do update set body = excluded.body
    ), unused as (
      delete from message_results where project_id = ${tx.projectId} and id = ${id} and ${result === undefined}
    ), published as (${publishRows(messagesTopic(tx.projectId), 'changed', [id])})
    update messages
       set payload = ${payload}, payload_bytes = ${payload.length}, has_result = ${result !== undefined},
           original_records = coalesce(original_records, ${before}), corrected_by = ${by}, correct_time = now()
     where project_id = ${tx.projectId} and id = ${id} and (select count(*) from published) >= 0`.execute(tx.sql)
}

/** Returns those of the ids that are messages of the project, in any state. */
export async function knownMessageIds(db: ProjectDb, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from messages where project_id = ${db.projectId} and id = any(${ids}::uuid[])`.execute(db.sql)
  return new Set(rows.map(({ id }) => id))
}

/** Discards dead letters by id, or the oldest of a destination. Returns how many. */
export async function discardMessages(
  db: ProjectDb,
  which: { ids: readonly string[] } | { destinationId: string },
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    update messages set state = 'discarded', end_time = now()
     where project_id = ${db.projectId}
       and id = any(array(
         select id from messages
          where project_id = ${db.projectId} and state = 'failed'
            and ${'ids' in which ? sql`id = any(${which.ids}::uuid[])` : sql`destination_id = ${which.destinationId}`}
          order by id limit ${limit} for update))
    returning id`.execute(db.sql)
  return rows.length
}

function deadLetter(row: Row): DeadLetter {
  return {
    id: row.id,
    ...(row.destination_id !== null && { destinationId: row.destination_id }),
    destinationName: row.destination_name,
    kind: row.kind,
    ...(row.event_type !== null && { eventType: row.event_type }),
    ...(row.installation_id !== null && { installationId: row.installation_id }),
    ...(row.operation_id !== null && { operationId: row.operation_id }),
    ...(row.object_name !== null && { objectName: row.object_name }),
    reason: row.reason,
    ...(row.error !== null && { error: row.error }),
    ...(row.response !== null && { response: row.response }),
    attempts: row.attempt,
    bytes: row.payload_bytes,
    ...(row.split_from !== null && { splitFrom: row.split_from }),
    ...(row.corrected_by !== null && { correctedBy: row.corrected_by }),
    ...(row.correct_time !== null && { correctTime: row.correct_time }),
    createTime: row.create_time,
    ...(row.end_time !== null && { failTime: row.end_time }),
  }
}
