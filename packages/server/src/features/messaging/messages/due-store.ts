import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'

/** Across projects: these look for what no request is at hand for. */
type SystemDb = Kysely<Tables>

/**
 * Destinations that have due messages: one step in the index for each destination with pending ones, however many those
 * are. A missing destination has been deleted.
 *
 * The project is compared with `is not distinct from`, which no index answers: with `=`, the planner may take
 * `messages_of_destination` in place of `messages_due`, and read every message that a destination ever had.
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
                         where m.project_id is not distinct from w.project_id and m.destination_id = w.destination_id
                           and m.state = 'pending' and m.next_attempt_at <= now()
                           and (m.lease_until is null or m.lease_until <= now())))`.execute(db)
  return rows.map(({ project_id, destination_id, missing }) => ({
    projectId: project_id,
    destinationId: destination_id,
    missing,
  }))
}

/** Makes messages of a deleted destination orphans, until one of that name exists again. Returns how many. */
export async function orphanMessages(
  db: SystemDb,
  { projectId, destinationId }: { projectId: string; destinationId: string },
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    update messages set destination_id = null
     where project_id = ${projectId}
       and id = any(array(select id from messages
                           where project_id = ${projectId} and destination_id = ${destinationId} and state = 'pending'
                           limit ${limit} for update skip locked))
       and not exists (select from destinations where project_id = ${projectId} and id = ${destinationId})
    returning id`.execute(db)
  return rows.length
}

/** Finds destinations whose name orphan messages have. One step in the index for each name. */
export async function findReattachable(
  db: SystemDb,
): Promise<{ projectId: string; destinationId: string; name: string }[]> {
  const { rows } = await sql<{ project_id: string; id: string; name: string }>`
    with recursive held as (
      (select project_id, destination_name as name from messages
        where state = 'pending' and destination_id is null order by project_id, destination_name limit 1)
      union all
      select next.project_id, next.name from held, lateral (
        select project_id, destination_name as name from messages
         where state = 'pending' and destination_id is null and (project_id, destination_name) > (held.project_id, held.name)
         order by project_id, destination_name limit 1) next
    )
    select d.project_id, d.id, d.name from held join destinations d on d.project_id = held.project_id and d.name = held.name`.execute(
    db,
  )
  return rows.map(({ project_id, id, name }) => ({ projectId: project_id, destinationId: id, name }))
}

/** Gives orphan messages to the destination of their name. Returns how many. */
export async function reattachOrphans(
  db: SystemDb,
  { projectId, destinationId, name }: { projectId: string; destinationId: string; name: string },
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    update messages set destination_id = ${destinationId}
     where project_id = ${projectId}
       and id = any(array(select id from messages
                           where project_id = ${projectId} and destination_name = ${name} and state = 'pending' and destination_id is null
                           limit ${limit} for update skip locked))
    returning id`.execute(db)
  return rows.length
}
