import { sql } from 'kysely'
import { type Database, type ProjectDb, prepared } from '../../../kernel/db/index.ts'

/**
 * Events that are worked off together, in their order: those of an installation, or those of all accounts of an
 * integration.
 */
export interface EventQueue {
  projectId: string
  integrationId: string
  installationId?: string
}

/** Identifies a stream among those of its project. */
export function eventQueueId(of: { integrationId: string; installationId?: string | undefined }): string {
  return of.installationId ?? of.integrationId
}

/**
 * The same of a row, as the index has it. Not `coalesce`, which row-level security keeps from the index (migration
 * 0029).
 */
const eventQueueOfRow = sql.raw('case when installation_id is null then integration_id else installation_id end')

/** An event that came and was believed. */
export interface InboundEvent {
  id: string
  integrationId: string
  installationId: string | undefined
  account: string | undefined
  /** The one whose registration it came by, where each object has one, or the one that the event names. */
  object: string | undefined
  name: string
  recordId: string | undefined
  time: Date | undefined
  fieldsUpdated: string[] | undefined
  /** The event as it came: a JSON text. */
  raw: string
  /** Digest of what tells it from all others, in hexadecimal. */
  key: string
}

/** The same as it waits. */
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
 * Inserts events, leaving out those that came before. Keys are inserted in one order, so that two nodes that are told
 * the same at the same time never wait for each other in a circle.
 */
export async function insertEvents(db: ProjectDb, events: readonly InboundEvent[], now: Date): Promise<number> {
  const { rows, raws } = rowsOf(events)
  const { rows: inserted } = await sql`${prepared}
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
    returning 1`.execute(db.sql)
  return inserted.length
}

/**
 * What no JSON text holds: of control characters, only white space may stand between its values, and none within them.
 */
const separator = '\x1e'

/**
 * Events as rows, each once, however often it is among them. Their JSON goes beside them as it is: as a text inside
 * another JSON text, both sides would have to escape it.
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
 * The next events of a stream, in the order in which they came or are due again: as many as `bytes` hold, and one at
 * least.
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

/**
 * Takes events out, in the transaction that posts what came of them. Answers the ids of those that nobody else has
 * taken.
 */
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

/** Events of installations that go. */
export async function deleteEventsOf(tx: ProjectDb, installationIds: string[]): Promise<void> {
  await sql`
    delete from inbound_events
    where project_id = ${tx.projectId} and ${eventQueueOfRow} = any(${installationIds})`.execute(tx.sql)
}

/** Streams with events that are due, across projects: of the oldest `limit` events. */
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

/** Forgets what came before a time, in portions; answers how many keys were forgotten. */
export async function deleteKeysBefore(system: Database['system'], before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from inbound_keys where (project_id, stream_id, key) in (
      select project_id, stream_id, key from inbound_keys where seen_time < ${before} order by seen_time limit ${limit}
      for update skip locked)
    returning 1`.execute(system)
  return rows.length
}
