import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../kernel/db/index.ts'

/** Across projects: these three look for what no request is at hand for. */
type SystemDb = Kysely<Tables>

/**
 * Destinations that have due messages: one step in the index for each destination with pending ones, however many those are.
 * A missing destination has been deleted.
 */
export async function findDueDestinations(
  db: SystemDb,
): Promise<{ projectId: string; destinationId: string; missing: boolean }[]> {
  const { rows } = await sql<{ project_id: string; destination_id: string; missing: boolean }>`
    with recursive waiting as (
      (select destination_id, project_id from messages
        where state = 'pending' and destination_id is not null order by destination_id limit 1)
      union all
      select next.destination_id, next.project_id from waiting, lateral (
        select destination_id, project_id from messages
         where state = 'pending' and destination_id > waiting.destination_id order by destination_id limit 1) next
    )
    select w.project_id, w.destination_id, d.id is null as missing
      from waiting w left join destinations d on d.project_id = w.project_id and d.id = w.destination_id
     where d.id is null
        or (d.disabled_time is null and (d.probe_at is null or d.probe_at <= now())
            and exists (select from messages m
                         where m.destination_id = w.destination_id and m.state = 'pending' and m.next_attempt_at <= now()))`.execute(
    db,
  )
  return rows.map(({ project_id, destination_id, missing }) => ({
    projectId: project_id,
    destinationId: destination_id,
    missing,
  }))
}

/** Holds messages whose destination was deleted, until one of that name exists again. Answers how many. */
export async function holdMessages(
  db: SystemDb,
  destination: { projectId: string; destinationId: string },
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    with orphan as (
      select id from messages
       where project_id = ${destination.projectId} and destination_id = ${destination.destinationId} and state = 'pending'
       limit ${limit} for update skip locked
    )
    update messages m set destination_id = null from orphan
     where m.project_id = ${destination.projectId} and m.id = orphan.id
       and not exists (select from destinations where project_id = ${destination.projectId} and id = ${destination.destinationId})
    returning m.id`.execute(db)
  return rows.length
}

/** Hands held messages to destinations of their name that exist by now. One step in the index for each name. Answers how many. */
export async function adoptMessages(db: SystemDb, limit: number): Promise<number> {
  const { rows } = await sql`
    with recursive held as (
      (select project_id, destination_name as name from messages
        where state = 'pending' and destination_id is null order by project_id, destination_name limit 1)
      union all
      select next.project_id, next.name from held, lateral (
        select project_id, destination_name as name from messages
         where state = 'pending' and destination_id is null and (project_id, destination_name) > (held.project_id, held.name)
         order by project_id, destination_name limit 1) next
    ), adopted as (
      select m.id, m.project_id, d.id as destination_id
        from held join destinations d on d.project_id = held.project_id and d.name = held.name,
             lateral (select id, project_id from messages
                       where state = 'pending' and destination_id is null and project_id = d.project_id and destination_name = d.name
                       limit ${limit} for update skip locked) m
       limit ${limit}
    )
    update messages m set destination_id = adopted.destination_id from adopted
     where m.project_id = adopted.project_id and m.id = adopted.id
    returning m.id`.execute(db)
  return rows.length
}
