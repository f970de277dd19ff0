import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'

/** Waits until a statement of the database waits for a lock, or as many as `count`. */
export async function untilLockWait<T>(db: Kysely<T>, count = 1): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows } = await sql`
          select from pg_locks join pg_stat_activity using (pid)
           where datname = current_database() and not granted`.execute(db)
        return rows.length
      },
      { timeout: 20_000 },
    )
    .toBe(count)
}
