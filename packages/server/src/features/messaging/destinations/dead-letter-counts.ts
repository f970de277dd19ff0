import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/** Maximum of the number that a destination shows. */
export const deadLettersCounted = 1_000

/** Counts the dead letters of some destinations, at most `max` of each. Destinations without any are left out. */
export async function countDeadLetters(
  db: ProjectDb,
  destinationIds: readonly string[],
  max: number,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select d.id, c.count
      from unnest(${destinationIds}::uuid[]) as d (id)
     cross join lateral (
       select count(*)::int as count from (
         select from messages m
          where m.project_id = ${db.projectId} and m.destination_id = d.id and m.state = 'failed'
          limit ${max}) counted) c
     where c.count > 0`.execute(db.sql)
  return new Map(rows.map(({ id, count }) => [id, count]))
}
