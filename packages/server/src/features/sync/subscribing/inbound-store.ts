import { sql } from 'kysely'
import { type Database, type ProjectDb, prepared } from '../../../kernel/db/index.ts'

/**
 * An event queue: events that are processed together, in their order. They belong to one installation, or to all
 * accounts of an integration.
 */
export interface EventQueue {
  projectId: string
  integrationId: string
  installationId?: string
}

/** Returns the id of an event queue, unique within its project. */
export function eventQueueId(of: { integrationId: string; installationId?: string | undefined }): string {
  return of.installationId ?? of.integrationId
}

/**
 * The same id of a row, as the index has it. Not `coalesce`: row-level security prevents an index on it (migration
 * 0029).
 */
const eventQueueOfRow = sql.raw('case when installation_id is null then integration_id else installation_id end')

/** A received event with a valid signature. */
export interface InboundEvent {
  id: string
  integrationId: string
  installationId: string | undefined
  account: string | undefined
  /** The object whose registration received it, where each object has its own, or the object that the event names. */
  object: string | undefined
  name: string
  recordId: string | undefined
  time: Date | undefined
  fieldsUpdated: string[] | undefined
  /** The JSON text of the event as received. */
  raw: string
  /** Digest that identifies the event, in hexadecimal. */
  key: string
}

/** An event in its queue. */
export interface WaitingEvent {
  id: string
  account: string | null
  object: string | null
  name: string
  recordId: string | null
  time: Date | null
  fieldsUpdated: string[] | null
  raw: string
  attempts: number
  createTime: Date
}

/**
 * Inserts events and skips duplicates of earlier ones. Sorts the keys, so that two nodes that receive the same events
 * at the same time never deadlock. Returns the ids of those that it inserted.
 */
export async function insertEvents(db: ProjectDb, events: readonly InboundEvent[], now: Date): Promise<string[]> {
  const { rows, raws } = rowsOf(events)
  const { rows: inserted } = await sql<{ id: string }>`${prepared}
    with come as (
      select * from rows from (
        json_to_recordset(${JSON.stringify(rows)}::json) as (id uuid, "integrationId" uuid, "installationId" uuid, account text,
          object text, name text, "recordId" text, time timestamptz, "fieldsUpdated" text[], key text, "eventQueue" uuid),
        string_to_table(${raws.join(separator)}, ${separator})
      ) as e (id, "integrationId", "installationId", account, object, name, "recordId", time, "fieldsUpdated", key, "eventQueue", raw)
    ), fresh as (
      insert into inbound_keys (project_id, stream_id, key, seen_time)
      select ${db.projectId}, "eventQueue", decode(key, 'hex'), ${now}::timestamptz from come
      order by "eventQueue", key
      on conflict do nothing returning stream_id, key
    )
    insert into inbound_events (project_id, id, integration_id, installation_id, account, object, name, record_id, event_time,
      fields_updated, raw, due_time)
    select ${db.projectId}, come.id, come."integrationId", come."installationId",
      come.account, come.object, come.name, come."recordId", come.time, come."fieldsUpdated", come.raw, ${now}::timestamptz
    from come join fresh on fresh.stream_id = come."eventQueue" and fresh.key = decode(come.key, 'hex')
    returning id`.execute(db.sql)
  return inserted.map(({ id }) => id)
}

/**
 * Separates JSON texts. It never occurs in one: whitespace is the only control character that JSON allows between
 * values, and it allows none within them.
 */
const separator = '\x1e'

/**
 * Converts events to rows, without duplicates. The JSON of each is passed next to the rows: inside another JSON text,
 * both sides would have to escape it.
 */
function rowsOf(events: readonly InboundEvent[]) {
  const seen = new Set<string>()
  const rows: object[] = []
  const raws: string[] = []
  for (const { raw, ...event } of events) {
    const eventQueue = eventQueueId(event)
    const which = `${eventQueue} ${event.key}`
    if (seen.has(which)) continue
    seen.add(which)
    rows.push({ ...event, eventQueue })
    raws.push(raw)
  }
  return { rows, raws }
}

/**
 * Lists the next events of a queue in the order in which they arrived or are due again: as many as fit in `bytes`, and
 * at least one.
 */
export async function listDueEvents(
  db: ProjectDb,
  eventQueue: EventQueue,
  { now, limit, bytes }: { now: Date; limit: number; bytes: number },
): Promise<WaitingEvent[]> {
  const { rows } = await sql<WaitingEvent>`
    select id, account, object, name, record_id as "recordId", event_time as "time", fields_updated as "fieldsUpdated", raw,
      attempts, create_time as "createTime"
    from (
      select *, sum(octet_length(raw)) over (order by due_time, id) - octet_length(raw) as "bytesBefore"
      from (
        select * from inbound_events
        where project_id = ${db.projectId} and ${eventQueueOfRow} = ${eventQueueId(eventQueue)}
          and due_time <= ${now}
        order by due_time, id limit ${limit}
      ) due
    ) counted
    where "bytesBefore" < ${bytes} order by due_time, id`.execute(db.sql)
  return rows
}

/** Deletes events in the transaction that posts their messages. Returns the ids that no other worker has taken. */
export async function takeEvents(tx: ProjectDb, ids: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    delete from inbound_events where project_id = ${tx.projectId} and id = any(${ids}) returning id`.execute(tx.sql)
  return new Set(rows.map(({ id }) => id))
}

export async function postponeEvents(db: ProjectDb, ids: string[], dueTime: Date): Promise<void> {
  await sql`
    update inbound_events set attempts = attempts + 1, due_time = ${dueTime}
    where project_id = ${db.projectId} and id = any(${ids})`.execute(db.sql)
}

/** Deletes the events of installations that are being deleted. */
export async function deleteEventsOf(tx: ProjectDb, installationIds: string[]): Promise<void> {
  await sql`
    delete from inbound_events
    where project_id = ${tx.projectId} and ${eventQueueOfRow} = any(${installationIds})`.execute(tx.sql)
}

/** Lists event queues with due events, across projects: those of the oldest `limit` events. */
export async function listDueEventQueues(system: Database['system'], now: Date, limit: number): Promise<EventQueue[]> {
  const { rows } = await sql<{ projectId: string; integrationId: string; installationId: string | null }>`
    select distinct project_id as "projectId", integration_id as "integrationId", installation_id as "installationId"
    from (select project_id, integration_id, installation_id from inbound_events
           where due_time <= ${now} order by due_time limit ${limit}) due`.execute(system)
  return rows.map(({ installationId, ...eventQueue }) => ({
    ...eventQueue,
    ...(installationId !== null && { installationId }),
  }))
}

/** Deletes keys from before a time, in batches. Returns how many. */
export async function deleteKeysBefore(system: Database['system'], before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from inbound_keys where (project_id, stream_id, key) in (
      select project_id, stream_id, key from inbound_keys where seen_time < ${before} order by seen_time limit ${limit}
      for update skip locked)
    returning 1`.execute(system)
  return rows.length
}
