import { type RawBuilder, sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import type { NewMessage } from './data-message.ts'
import type { Reservation } from './handover.ts'
import { messagesTopic } from './topic.ts'

/** `aheadMs`: how far its order time lies ahead (`message-shares.ts`); 0 unless defined. */
export type MessageToInsert = NewMessage & { id: string; aheadMs?: number }

/**
 * Inserts messages and resolves the names of their destinations. Returns the ids of destinations that can receive
 * messages now: neither disabled nor waiting for a probe.
 */
export async function insertMessages(db: ProjectDb, messages: readonly MessageToInsert[]): Promise<string[]> {
  const ids = messages.map(({ id }) => id)
  const names = [...new Set(messages.map((message) => message.destinationName))]
  const { rows: open } = await sql<{ id: string | null }>`
    with target as (${targetsOf(db, names)}),
         inserted as (insert into messages (${columns}) ${valuesOf(db, messages)})
    select id, null as published from target where open
    union all
    select null, published from (${publishRows(messagesTopic(db.projectId), 'created', ids)}) t`.execute(db.sql)
  return open.flatMap(({ id }) => (id === null ? [] : [id]))
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
): Promise<{ isChanged: boolean; openId: string | undefined; isLeased: boolean }> {
  const { destinationName, messages, reservation } = posted
  const ids = messages.map(({ id }) => id)
  const isLeased = sql`target.open and target.id = ${reservation?.destinationId ?? null}::uuid`
  const { rows } = await sql<{ id: string | null; leased: boolean | null; changed: boolean | null }>`
    with changed as (${change}),
         target as (${targetsOf(db, [destinationName])}),
         inserted as (
           insert into messages (${columns}, lease_token, lease_until)
           ${valuesOf(
             db,
             messages,
             sql`, case when ${isLeased} then ${reservation?.token ?? null}::uuid end,
                   case when ${isLeased} then now() + make_interval(secs => ${reservation?.leaseSeconds ?? 0}) end`,
           )}
            where exists (select from changed))
    select null as id, null as leased, exists (select from changed) as changed, null as published
    union all
    select id, coalesce(${isLeased}, false), null, null from target where open
    union all
    select null, null, null, published from (${publishRows(messagesTopic(db.projectId), 'created', ids)}) t
     where exists (select from changed)`.execute(db.sql)
  const isChanged = rows.some(({ changed }) => changed === true)
  const open = rows.find(({ id }) => id !== null)
  return { isChanged, openId: open?.id ?? undefined, isLeased: isChanged && open?.leased === true }
}

const columns = sql.raw(`project_id, id, destination_id, destination_name, kind, installation_id, operation_id, payload,
  payload_bytes, has_result, event_type, order_at, object_name`)

/** Destinations by name, and whether they can receive messages now. */
function targetsOf(db: ProjectDb, names: string[]): RawBuilder<unknown> {
  return sql`
    select id, name, disabled_time is null and probe_at is null as open
      from destinations where project_id = ${db.projectId} and name = any(${names})`
}

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
    select ${db.projectId}::uuid, m.id, target.id, m.name, m.kind, m.installation_id, m.operation_id, m.payload, m.bytes,
           m.has_result, m.event_type::text, now() + m.ahead_ms * interval '1 ms', m.object_name::text${more}
      from (values ${sql.join(rows)}) m (id, name, kind, installation_id, operation_id, payload, bytes, has_result, event_type, ahead_ms,
             object_name)
      left join target on target.name = m.name`
}

/** Inserts the results of messages that are too large to carry them. */
export async function insertMessageResults(db: ProjectDb, results: { id: string; body: Buffer }[]): Promise<void> {
  await db.sql
    .insertInto('message_results')
    .values(results.map(({ id, body }) => ({ project_id: db.projectId, id, body })))
    .execute()
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
