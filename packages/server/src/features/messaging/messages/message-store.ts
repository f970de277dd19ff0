import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import type { NewMessage } from './data-message.ts'
import { messagesTopic } from './topic.ts'

/**
 * Inserts messages and resolves the names of their destinations. Returns the ids of destinations that can receive
 * messages now: neither disabled nor waiting for a probe.
 */
export async function insertMessages(db: ProjectDb, messages: (NewMessage & { id: string })[]): Promise<string[]> {
  const ids = messages.map(({ id }) => id)
  const names = [...new Set(messages.map((message) => message.destinationName))]
  const rows = messages.map(
    (m) => sql`(${m.id}::uuid, ${m.destinationName}, ${m.kind}, ${m.installationId ?? null}::uuid,
      ${m.operationId ?? null}::uuid, ${m.payload}::bytea, ${m.payload.length}::int, ${m.result !== undefined}::bool,
      ${m.eventType ?? null})`,
  )
  const { rows: open } = await sql<{ id: string | null }>`
    with target as (
      select id, name, disabled_time is null and probe_at is null as open
        from destinations where project_id = ${db.projectId} and name = any(${names})
    ), inserted as (
      insert into messages (project_id, id, destination_id, destination_name, kind, installation_id, operation_id, payload, payload_bytes, has_result, event_type)
      select ${db.projectId}, m.id, target.id, m.name, m.kind, m.installation_id, m.operation_id, m.payload, m.bytes, m.has_result, m.event_type::text
        from (values ${sql.join(rows)}) m (id, name, kind, installation_id, operation_id, payload, bytes, has_result, event_type)
        left join target on target.name = m.name
    )
    select id, null as published from target where open
    union all
    select null, published from (${publishRows(messagesTopic(db.projectId), 'created', ids)}) t`.execute(db.sql)
  return open.flatMap(({ id }) => (id === null ? [] : [id]))
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
