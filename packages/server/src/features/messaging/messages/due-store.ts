import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'

/** Across projects: these look for what no request is at hand for. */
type SystemDb = Kysely<Tables>

/** Finds the destinations that have due messages. A missing destination has been deleted. */
export async function findDueDestinations(
  db: SystemDb,
): Promise<{ projectId: string; destinationId: string; missing: boolean }[]> {
  const { rows } = await sql<{ project_id: string; destination_id: string; missing: boolean }>`
    select project_id, destination_id, missing from find_due_destinations()`.execute(db)
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

/** Finds destinations whose name orphan messages have. */
export async function findReattachable(
  db: SystemDb,
): Promise<{ projectId: string; destinationId: string; name: string }[]> {
  const { rows } = await sql<{ project_id: string; destination_id: string; name: string }>`
    select project_id, destination_id, name from find_reattachable_destinations()`.execute(db)
  return rows.map(({ project_id, destination_id, name }) => ({
    projectId: project_id,
    destinationId: destination_id,
    name,
  }))
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
