import { type RawBuilder, type Selectable, sql } from 'kysely'
import { andIf, type ProjectDb, type Tables } from '../../../kernel/db/index.ts'
import { type Message, type MessageAttempt, type MessageState, messageStates } from './message-model.ts'

/**
 * Selects messages by destination: of one that exists or existed, or messages that wait for a destination of a name.
 */
export type DestinationFilter = { id: string } | { destinationName: string }

export interface MessageFilter {
  destination?: DestinationFilter | undefined
  state?: string | undefined
  kind?: string | undefined
  eventType?: string | undefined
  /** Messages of any of these. */
  installationIds?: readonly string[] | undefined
  operationId?: string | undefined
  /** Ids from this one on. */
  from?: string | undefined
  /** Ids below this one. */
  below?: string | undefined
}

/** All columns except the payload, which is large. */
const columns = [
  'id',
  'destination_id',
  'destination_name',
  'kind',
  'event_type',
  'installation_id',
  'operation_id',
  'state',
  'attempt',
  'next_attempt_at',
  'lease_token',
  'payload_bytes',
  'create_time',
  'end_time',
  'failure',
  'rejected_records',
  'split_from',
] as const

type Row = Pick<Selectable<Tables['messages']>, (typeof columns)[number]>

/**
 * Lists messages, newest first. Each filter uses an index that ends with the id, so the cost follows the page size.
 * `explain` shows one short scan per day, and none for days outside `from` and `below`. A filter that most messages
 * match uses the primary key.
 */
export async function listMessages(db: ProjectDb, filter: MessageFilter, limit: number): Promise<Message[]> {
  if (filter.installationIds?.length === 0) return []
  return (await messagesQuery(db, filter, limit).execute()).map(messageResource)
}

export function messagesQuery(db: ProjectDb, filter: MessageFilter, limit: number) {
  const { installationIds } = filter
  const newest = () =>
    db.sql
      .selectFrom('messages')
      .select(columns)
      .where('project_id', '=', db.projectId)
      .where(matching(db, filter))
      .orderBy('id', 'desc')
      .limit(limit)
  if (installationIds === undefined) return newest()
  const [installationId] = installationIds
  if (installationIds.length === 1 && installationId !== undefined)
    return newest().where('installation_id', '=', installationId)
  // The newest of each, and of these the newest: one index scan cannot have the order of several installations.
  return db.sql
    .selectFrom(sql<{ one: string }>`(select unnest(${installationIds}::uuid[]) as one)`.as('installation'))
    .innerJoinLateral(newest().where('installation_id', '=', sql<string>`installation.one`).as('found'), (join) =>
      join.onTrue(),
    )
    .select(columns.map((column) => `found.${column}` as const))
    .orderBy('found.id', 'desc')
    .limit(limit)
}

/**
 * The state of most messages, as a condition that a planner without statistics takes for a common one. For a rare one,
 * it would read and sort all messages of a new day.
 */
const isDelivered = sql`state <> all (${messageStates.filter((state) => state !== 'delivered')}::text[])`

/** The condition of all filters but the installations. */
function matching(db: ProjectDb, filter: MessageFilter): RawBuilder<boolean> {
  const { destination } = filter
  const byId = destination && 'id' in destination ? destination.id : undefined
  const byName = destination && 'destinationName' in destination ? destination.destinationName : undefined
  // Excludes nothing, and makes the planner use the small indexes of due and waiting messages.
  const isDueOrHeld = filter.state === 'pending' && !destination ? true : undefined
  return sql<boolean>`true
    ${andIf(byId, (id) => sql`destination_id = ${id}`)}
    ${andIf(byName, (name) => sql`destination_name = ${name} and destination_id is null and state = 'pending'`)}
    ${andIf(filter.state, (state) => (state === 'delivered' ? isDelivered : sql`state = ${state}`))}
    ${andIf(
      isDueOrHeld,
      () =>
        sql`(destination_id = any(array(select id from destinations where project_id = ${db.projectId})) or destination_id is null)`,
    )}
    ${andIf(filter.kind, (kind) => sql`kind = ${kind}`)}
    ${andIf(filter.eventType, (type) => sql`event_type = ${type}`)}
    ${andIf(filter.operationId, (id) => sql`operation_id = ${id}`)}
    ${andIf(filter.from, (id) => sql`id >= ${id}`)}
    ${andIf(filter.below, (id) => sql`id < ${id}`)}`
}

/** Finds a message with its stored payload. */
export async function findMessage(
  db: ProjectDb,
  id: string,
): Promise<{ message: Message; payload: Buffer; hasResult: boolean } | undefined> {
  const { rows } = await sql<Row & { payload: Buffer; has_result: boolean }>`
    select ${sql.raw(columns.join(', '))}, payload, has_result from messages
    where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  const [row] = rows
  return row && { message: messageResource(row), payload: row.payload, hasResult: row.has_result }
}

/** A message for a stream, with its payload where the client requested it. */
export interface FoundMessage {
  id: string
  message: Message
  payload?: Buffer
  hasResult: boolean
}

/** Lists ids after `after`, in order. */
export async function listMessageIds(
  db: ProjectDb,
  page: { after: string; destinationId: string | undefined; limit: number },
): Promise<string[]> {
  let query = db.sql
    .selectFrom('messages')
    .select('id')
    .where('project_id', '=', db.projectId)
    .where('id', '>', page.after)
    .orderBy('id')
    .limit(page.limit)
  if (page.destinationId !== undefined) query = query.where('destination_id', '=', page.destinationId)
  return (await query.execute()).map(({ id }) => id)
}

/** Finds messages by id, ordered by id. */
export async function findMessages(
  db: ProjectDb,
  wanted: { ids: string[]; destinationId: string | undefined; withPayload: boolean },
): Promise<FoundMessage[]> {
  let query = db.sql
    .selectFrom('messages')
    .select([...columns, 'has_result'])
    .$if(wanted.withPayload, (select) => select.select('payload'))
    .where('project_id', '=', db.projectId)
    .where('id', '=', sql<string>`any(${wanted.ids}::uuid[])`)
    .orderBy('id')
  if (wanted.destinationId !== undefined) query = query.where('destination_id', '=', wanted.destinationId)
  return (await query.execute()).map((row) => ({
    id: row.id,
    message: messageResource(row),
    ...(row.payload !== undefined && { payload: row.payload }),
    hasResult: row.has_result,
  }))
}

export async function hasMessage(db: ProjectDb, id: string): Promise<boolean> {
  const { rows } = await sql`select from messages where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows.length > 0
}

/** Lists attempts with numbers above `after`, in order. */
export async function listAttempts(
  db: ProjectDb,
  { messageId, after, limit }: { messageId: string; after: number; limit: number },
): Promise<MessageAttempt[]> {
  const rows = await db.sql
    .selectFrom('attempts')
    .select(['number', 'status', 'error', 'response', 'duration_ms', 'destination_id', 'create_time'])
    .where('project_id', '=', db.projectId)
    .where('message_id', '=', messageId)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    number: row.number,
    ...(row.status !== null && { status: row.status }),
    ...(row.error !== null && { error: row.error }),
    ...(row.response !== null && { response: row.response }),
    durationMs: row.duration_ms,
    destinationId: row.destination_id,
    createTime: row.create_time,
  }))
}

function messageResource(row: Row): Message {
  const waits = row.state === 'pending' && row.lease_token === null
  return {
    id: row.id,
    ...(row.destination_id !== null && { destinationId: row.destination_id }),
    destinationName: row.destination_name,
    kind: row.kind as Message['kind'],
    ...(row.event_type !== null && { eventType: row.event_type }),
    ...(row.installation_id !== null && { installationId: row.installation_id }),
    ...(row.operation_id !== null && { operationId: row.operation_id }),
    state: row.state as MessageState,
    ...(row.state === 'failed' && { failureReason: row.failure === 'refused' ? 'refused' : 'exhausted' }),
    ...(row.rejected_records > 0 && { rejectedRecords: row.rejected_records }),
    ...(row.split_from !== null && { splitFrom: row.split_from }),
    attempts: row.attempt,
    ...(waits && { nextAttemptTime: row.next_attempt_at }),
    bytes: row.payload_bytes,
    createTime: row.create_time,
    ...(row.end_time !== null && { endTime: row.end_time }),
  }
}
