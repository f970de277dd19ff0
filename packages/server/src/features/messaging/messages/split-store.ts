import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import type { SettledAttempts, Settlement } from './lease-store.ts'
import { messageOf, partsOfMessage, splitId } from './record-entries.ts'
import { messagesTopic } from './topic.ts'

/** Records of a claimed message that the destination did not accept, with the attempt of their separate message. */
export interface SplitRecords {
  /** The message that they were in. */
  message: { id: string; payload: Buffer }
  entries: readonly number[]
  settlement: Pick<Settlement, 'state' | 'delayMs' | 'failure' | 'ended'>
}

/** Locks claimed messages, and returns the ids of those that are still leased by their tokens. */
export async function lockLeased(
  tx: ProjectDb,
  claimed: readonly { id: string; token: string }[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select m.id from messages m
      join json_to_recordset(${JSON.stringify(claimed.map(({ id, token }) => ({ id, token })))}::json) r (id uuid, token uuid)
        on m.id = r.id and m.lease_token = r.token
     where m.project_id = ${tx.projectId} and m.id = any(${claimed.map(({ id }) => id)}::uuid[])
     order by m.id for update of m`.execute(tx.sql)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Makes separate messages of records, each with its first attempt. A message that was made of a record before stays as
 * it is. Returns how many attempts it stored.
 */
export async function insertSplit(
  tx: ProjectDb,
  destinationId: string,
  split: readonly SplitRecords[],
): Promise<SettledAttempts[]> {
  const rows = split.flatMap(({ message, entries, settlement }) => {
    const parts = partsOfMessage(message.payload)
    const texts = entries.flatMap((at) => parts?.entries?.[at] ?? [])
    const [first] = entries
    if (!parts || first === undefined || texts.length !== entries.length) return []
    const { state, delayMs, failure, ended } = settlement
    return {
      id: splitId(message.id, first),
      parent: message.id,
      payload: messageOf(parts.header, texts).toString(),
      records: texts.length,
      ...{ state, failure, delay: delayMs / 1_000 },
      error: ended?.error,
      response: ended?.response,
      duration: ended?.durationMs ?? 0,
    }
  })
  const parents = [...new Set(rows.map(({ parent }) => parent))]
  const ids = rows.map(({ id }) => id)
  const { rows: counted } = await sql<SettledAttempts | { installationId: null }>`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        r (id uuid, parent uuid, payload text, records int, state text, failure text, delay float8, error text, response text, duration int)
    ), marked as (
      update messages m set rejected_records = g.records
        from (select parent, sum(records)::int as records from given group by parent) g
       where m.project_id = ${tx.projectId} and m.id = any(${parents}::uuid[]) and m.id = g.parent
    ), made as (
      insert into messages (project_id, id, destination_id, destination_name, kind, installation_id, operation_id, payload, payload_bytes,
                            event_type, object_name, state, failure, attempt, next_attempt_at, end_time, split_from)
      select m.project_id, g.id, m.destination_id, m.destination_name, m.kind, m.installation_id, m.operation_id,
             convert_to(g.payload, 'UTF8'), octet_length(convert_to(g.payload, 'UTF8')), m.event_type, m.object_name, g.state, g.failure, 1,
             now() + make_interval(secs => g.delay), case when g.state = 'failed' then now() end, m.id
        from given g join messages m on m.id = g.parent
       where m.project_id = ${tx.projectId} and m.id = any(${parents}::uuid[])
      on conflict do nothing
      returning id, installation_id, object_name
    ), kept as (
      insert into attempts (project_id, message_id, number, destination_id, error, response, duration_ms)
      select ${tx.projectId}, g.id, 1, ${destinationId}, g.error, g.response, g.duration from given g join made using (id)
    )
    select installation_id as "installationId", coalesce(object_name, '') as "objectName", count(*)::int as attempts,
           count(*)::int as failed, null as published
      from made where installation_id is not null group by installation_id, object_name
    union all
    select null, null, null, null, published from (${publishRows(messagesTopic(tx.projectId), 'created', ids)}) t`.execute(
    tx.sql,
  )
  return counted.flatMap((row) => (row.installationId === null ? [] : [row]))
}
