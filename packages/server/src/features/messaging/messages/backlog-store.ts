import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/**
 * Counts the messages that wait for each of some destinations, at most `max` of each that were not attempted and `max`
 * that were, with the oldest time of those. Destinations without any are left out.
 *
 * Reads only the indexes `messages_new` and `messages_again`: their order makes the planner use them, instead of an
 * index of all messages of the destination.
 */
export async function countWaiting(
  db: ProjectDb,
  destinationIds: readonly string[],
  max: number,
): Promise<{ destinationId: string; count: number; oldestTime: Date }[]> {
  const { rows } = await sql<{ destinationId: string; count: number; oldestTime: Date }>`
    select d.id as "destinationId", w.count, w.oldest as "oldestTime"
      from unnest(${destinationIds}::uuid[]) as d (id)
     cross join lateral (
       select count(*)::int as count, min(create_time) as oldest from (
         (select m.create_time from messages m
           where m.project_id = ${db.projectId} and m.destination_id = d.id and m.state = 'pending' and m.attempt = 0
           order by m.order_at limit ${max})
         union all
         (select m.create_time from messages m
           where m.project_id = ${db.projectId} and m.destination_id = d.id and m.state = 'pending' and m.attempt > 0
           order by m.next_attempt_at limit ${max})) counted) w
     where w.count > 0`.execute(db.sql)
  return rows
}

/** Counts messages that wait for a destination of their name, at most `max` in all. */
export async function countOrphans(
  db: ProjectDb,
  max: number,
): Promise<{ destinationName: string; count: number; oldestTime: Date }[]> {
  const { rows } = await sql<{ destinationName: string; count: number; oldestTime: Date }>`
    select destination_name as "destinationName", count(*)::int as count, min(create_time) as "oldestTime" from (
      select destination_name, create_time from messages
       where project_id = ${db.projectId} and state = 'pending' and destination_id is null
       order by destination_name limit ${max}) counted
     group by destination_name order by destination_name`.execute(db.sql)
  return rows
}
