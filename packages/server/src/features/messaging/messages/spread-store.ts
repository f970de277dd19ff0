import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { publishRows } from '../../../kernel/pubsub/index.ts'
import { copiedId, targetsOf } from './targets.ts'
import { messagesTopic } from './topic.ts'

/**
 * Gives due messages of a fan-out to its destinations: each message to the first, and a copy of it to each other. A
 * fan-out has messages if they waited for its name, if it was disabled, or if it had another type. Attempts stay with
 * the message, and copies begin without any.
 *
 * @returns how many messages it gave away
 */
export async function spreadMessages(db: ProjectDb, destinationId: string, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const { rows } = await sql<{ id: string; moved: boolean }>`
      with target as materialized (${targetsOf(tx, sql`d.id = ${destinationId} and d.disabled_time is null and d.members is not null`)}),
           m as materialized (
             select * from messages
              where project_id = ${tx.projectId} and destination_id = ${destinationId} and state = 'pending' and next_attempt_at <= now()
                and (lease_until is null or lease_until <= now()) and exists (select from target)
              order by next_attempt_at limit ${limit} for update skip locked
           ),
           copied as (
             insert into messages (project_id, id, destination_id, destination_name, kind, installation_id, operation_id, payload, payload_bytes,
                                   has_result, event_type, object_name, order_at, split_from, original_records, corrected_by, correct_time)
             select m.project_id, ${copiedId('m')}, target.id, target.name, m.kind, m.installation_id, m.operation_id, m.payload, m.payload_bytes,
                    m.has_result, m.event_type, m.object_name, m.order_at, m.split_from, m.original_records, m.corrected_by, m.correct_time
               from m cross join target where target.ordinal > 1
             on conflict do nothing
             returning id
           ),
           results as (
             insert into message_results (project_id, id, body)
             select r.project_id, ${copiedId('m')}, r.body
               from m cross join target join message_results r on r.project_id = ${tx.projectId} and r.id = m.id
              where target.ordinal > 1
             on conflict do nothing
           ),
           moved as (
             update messages own set destination_id = target.id, destination_name = target.name, lease_token = null, lease_until = null
               from target
              where own.project_id = ${tx.projectId} and own.id = any(array(select id from m)) and target.ordinal = 1
             returning own.id
           )
      select id, true as moved from moved union all select id, false from copied`.execute(tx.sql)
    const idsOf = (moved: boolean) => rows.filter((row) => row.moved === moved).map(({ id }) => id)
    const [changed, created] = [idsOf(true), idsOf(false)]
    const topic = messagesTopic(tx.projectId)
    if (changed.length > 0) await publishRows(topic, 'changed', changed).execute(tx.sql)
    if (created.length > 0) await publishRows(topic, 'created', created).execute(tx.sql)
    return changed.length
  })
}
