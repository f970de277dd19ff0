import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/**
 * Selects the destinations that get messages: one for each destination `d` that meets a condition, or each destination
 * of an enabled fan-out, numbered from 1. A disabled fan-out keeps its messages. A destination of a fan-out that does
 * not exist has no id: messages wait for its name. `open`: it can receive messages now.
 */
export function targetsOf(db: ProjectDb, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select d.name as posted, coalesce(x.ordinal, 1) as ordinal, coalesce(x.member, d.name) as name,
           case when x.member is null then d.id else t.id end as id,
           case when x.member is null then d.disabled_time is null and d.probe_at is null
                else t.id is not null and t.disabled_time is null and t.probe_at is null end as open
      from destinations d
      left join lateral unnest(case when d.disabled_time is null then d.members end) with ordinality x (member, ordinal) on true
      left join destinations t on t.project_id = ${db.projectId} and t.name = x.member and t.members is null
     where d.project_id = ${db.projectId} and ${condition}`
}

/** The id of a message in its table, for a row `target`: the first destination gets the message, others get copies. */
export function copiedId(message: 'm'): RawBuilder<unknown> {
  const id = sql.ref(`${message}.id`)
  return sql`case when target.ordinal > 1
    then (left(${id}::text, ${sql.lit(keptLength)}) || left(encode(sha256(convert_to(${id}::text || ' to ' || target.name, 'UTF8')), 'hex'), ${sql.lit(idLength - keptLength)}))::uuid
    else ${id} end`
}

const idLength = 36
const keptLength = 26

/**
 * Returns the id of the copy of a message for a destination, as `copiedId` makes it. It has the time and the sequence
 * of the message, so copies sort as their messages do.
 */
export function copyId(messageId: string, destinationName: string): string {
  const hash = createHash('sha256').update(`${messageId} to ${destinationName}`).digest('hex')
  return messageId.slice(0, keptLength) + hash.slice(0, idLength - keptLength)
}
