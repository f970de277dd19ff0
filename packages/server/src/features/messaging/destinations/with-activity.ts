import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { countDeadLetters, deadLettersCounted } from './dead-letter-counts.ts'

/** What a destination shows that other tables know. */
interface Activity {
  deadLetterCount?: number
  resendTime?: Date
}

/** Adds to destinations how many dead letters they have, and when their newest resend began, where there are any. */
export async function withActivity<T extends { id: string }>(
  db: ProjectDb,
  destinations: readonly T[],
): Promise<(T & Activity)[]> {
  const ids = destinations.map(({ id }) => id)
  const counts = await countDeadLetters(db, ids, deadLettersCounted)
  const times = await resendTimes(db, ids)
  return destinations.map((destination) => {
    const deadLetterCount = counts.get(destination.id)
    const resendTime = times.get(destination.id)
    return {
      ...destination,
      ...(deadLetterCount !== undefined && { deadLetterCount }),
      ...(resendTime !== undefined && { resendTime }),
    }
  })
}

/** Does the same for one destination. */
export async function withActivityOf<T extends { id: string }>(db: ProjectDb, destination: T): Promise<T & Activity> {
  const [found = destination] = await withActivity(db, [destination])
  return found
}

async function resendTimes(db: ProjectDb, ids: readonly string[]): Promise<Map<string, Date>> {
  const { rows } = await sql<{ id: string; time: Date }>`
    select destination_id as id, create_time as time from resends
     where project_id = ${db.projectId} and destination_id = any(${ids}::uuid[])`.execute(db.sql)
  return new Map(rows.map(({ id, time }) => [id, time]))
}
