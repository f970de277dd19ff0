import { type RawBuilder, sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import type { NewMessage } from './data-message.ts'
import type { Reservation } from './handover.ts'
import { copiedId, copyId, targetsOf } from './targets.ts'
import { messagesTopic } from './topic.ts'

/** `aheadMs`: how far its order time lies ahead (`message-shares.ts`); 0 unless defined. */
export type MessageToInsert = NewMessage & { id: string; aheadMs?: number }

/** A message that was stored in addition to the one that was posted: for a further destination of a fan-out. */
export interface MessageCopy<Message = MessageToInsert> {
  id: string
  of: Message
}

/**
 * Inserts messages and resolves the names of their destinations. A message to a fan-out is stored once for each of its
 * destinations. Returns the ids of destinations that can receive messages now: neither disabled nor waiting for a
 * probe.
 */
export async function insertMessages<Message extends MessageToInsert>(
  db: ProjectDb,
  messages: readonly Message[],
): Promise<{ open: string[]; copies: MessageCopy<Message>[] }> {
  const ids = messages.map(({ id }) => id)
  const names = [...new Set(messages.map((message) => message.destinationName))]
  const { rows } = await sql<{ id: string | null } & Copied>`
    with target as (${targetsOf(db, sql`d.name = any(${names})`)}),
         inserted as (insert into messages (${columns}) ${valuesOf(db, messages)})
    select id, null as posted, null as copied, null as published from target where open
    union all
    ${copiedTo}
    union all
    select null, null, null, published from (${publishRows(messagesTopic(db.projectId), 'created', ids)}) t`.execute(
    db.sql,
  )
  return {
    open: rows.flatMap(({ id }) => (id === null ? [] : [id])),
    copies: await publishedCopies(db, messages, rows),
  }
}

/** A further destination of a fan-out that was posted to. */
interface Copied {
  posted: string | null
  copied: string | null
}

const copiedTo = sql`select null, posted, name, null from target where ordinal > 1`

/** Notifies streams of the copies that a statement has stored, and returns them: only it knew the destinations. */
async function publishedCopies<Message extends MessageToInsert>(
  db: ProjectDb,
  messages: readonly Message[],
  rows: readonly Copied[],
): Promise<MessageCopy<Message>[]> {
  const further = rows.filter(({ copied }) => copied !== null)
  if (further.length === 0) return []
  const copies = messages.flatMap((of) =>
    further.flatMap(({ posted, copied }) =>
      posted === of.destinationName && copied !== null ? [{ id: copyId(of.id, copied), of }] : [],
    ),
  )
  const ids = copies.map(({ id }) => id)
  await publishRows(messagesTopic(db.projectId), 'created', ids).execute(db.sql)
  return copies
}

/**
 * Inserts messages of one destination and changes a row, in one statement. If the change returns no row, it inserts
 * nothing. The messages are leased as reserved if the destination can receive messages now and is the one that made the
 * reservation.
 */
export async function insertMessagesWith(
  db: ProjectDb,
  change: RawBuilder<unknown>,
  posted: {
    destinationName: string
    messages: readonly MessageToInsert[]
    reservation: Pick<Reservation, 'destinationId' | 'token' | 'leaseSeconds'> | undefined
  },
): Promise<{ isChanged: boolean; open: OpenTarget[]; isLeased: boolean; copies: MessageCopy[] }> {
  const { destinationName, messages, reservation } = posted
  const ids = messages.map(({ id }) => id)
  const isLeased = sql`target.open and target.id = ${reservation?.destinationId ?? null}::uuid`
  const { rows } = await sql<
    { id: string | null; name: string | null; leased: boolean | null; changed: boolean | null } & Copied
  >`
    with changed as (${change}),
         target as (${targetsOf(db, sql`d.name = ${destinationName}`)}),
         inserted as (
           insert into messages (${columns}, lease_token, lease_until)
           ${valuesOf(
             db,
             messages,
             sql`, case when ${isLeased} then ${reservation?.token ?? null}::uuid end,
                   case when ${isLeased} then now() + make_interval(secs => ${reservation?.leaseSeconds ?? 0}) end`,
           )}
            where exists (select from changed))
    select null as id, null as name, null as leased, exists (select from changed) as changed, null as posted, null as copied, null as published
    union all
    select id, name, coalesce(${isLeased}, false), null, null, null, null from target where open
    union all
    select null, null, null, null, posted, name, null from target where ordinal > 1 and exists (select from changed)
    union all
    select null, null, null, null, null, null, published from (${publishRows(messagesTopic(db.projectId), 'created', ids)}) t
     where exists (select from changed)`.execute(db.sql)
  const isChanged = rows.some(({ changed }) => changed === true)
  return {
    isChanged,
    open: rows.flatMap(({ id, name }) => (id === null || name === null ? [] : [{ id, name }])),
    isLeased: isChanged && rows.some(({ leased }) => leased === true),
    copies: await publishedCopies(db, messages, rows),
  }
}

/** A destination that can receive messages now. */
interface OpenTarget {
  id: string
  name: string
}

const columns = sql.raw(`project_id, id, destination_id, destination_name, kind, installation_id, operation_id, payload,
  payload_bytes, has_result, event_type, order_at, object_name`)

/** Values of `columns`, and of more columns. */
function valuesOf(
  db: ProjectDb,
  messages: readonly MessageToInsert[],
  more: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const rows = messages.map(
    (m) => sql`(${m.id}::uuid, ${m.destinationName}, ${m.kind}, ${m.installationId ?? null}::uuid,
      ${m.operationId ?? null}::uuid, ${m.payload}::bytea, ${m.payload.length}::int, ${m.result !== undefined}::bool,
      ${m.eventType ?? null}, ${m.aheadMs ?? 0}::float8, ${m.objectName ?? null})`,
  )
  return sql`
    select ${db.projectId}::uuid, ${copiedId('m')}, target.id, coalesce(target.name, m.name), m.kind, m.installation_id, m.operation_id, m.payload, m.bytes,
           m.has_result, m.event_type::text, now() + m.ahead_ms * interval '1 ms', m.object_name::text${more}
      from (values ${sql.join(rows)}) m (id, name, kind, installation_id, operation_id, payload, bytes, has_result, event_type, ahead_ms,
             object_name)
      left join target on target.posted = m.name`
}

/** Inserts the results of messages that are too large to carry them: each for a message and its copies. */
export async function insertMessageResults(db: ProjectDb, results: { ids: string[]; body: Buffer }[]): Promise<void> {
  await sql`
    insert into message_results (project_id, id, body)
    select ${db.projectId}, unnest(r.ids), r.body
      from (values ${sql.join(results.map(({ ids, body }) => sql`(${ids}::uuid[], ${body}::bytea)`))}) r (ids, body)`.execute(
    db.sql,
  )
}

/** Finds the size of the result of a message, without reading it. */
export async function findMessageResultBytes(db: ProjectDb, id: string): Promise<number | undefined> {
  const { rows } = await sql<{ bytes: number }>`
    select octet_length(body) as bytes from message_results where project_id = ${db.projectId} and id = ${id}`.execute(
    db.sql,
  )
  return rows[0]?.bytes
}

/** Reads a part of the result of a message. It is stored without compression, so the database reads only this part. */
export async function findMessageResultPart(
  db: ProjectDb,
  id: string,
  { from, bytes }: { from: number; bytes: number },
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ part: Buffer }>`
    select substring(body from ${from + 1}::int for ${bytes}::int) as part
      from message_results where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows[0]?.part
}

/** The result of a message: JSON in UTF-8. */
export async function findMessageResult(db: ProjectDb, id: string): Promise<Buffer | undefined> {
  const row = await db.sql
    .selectFrom('message_results')
    .select('body')
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.body
}

/**
 * Returns when the oldest day begins whose messages are kept. The time of a message is in its id, and days are deleted
 * as a whole, so one that is older is never sent again.
 */
export async function findMessagesKeptFrom(db: ProjectDb): Promise<Date> {
  const { rows } = await sql<{ day: string | null }>`
    select min(right(child.relname, 8)) as day
      from pg_inherits join pg_class child on child.oid = inhrelid
     where inhparent = 'messages'::regclass and child.relname ~ '_[0-9]{8}$'`.execute(db.sql)
  const day = rows[0]?.day ?? '19700101'
  return new Date(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`)
}
