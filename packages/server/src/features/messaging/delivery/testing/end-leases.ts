import { sql } from 'kysely'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { leaseSeconds } from '../delivery-rules.ts'

/** Lets the leases of a dead process end. Its last statements may still run in the server: they are waited for. */
export async function endLeases(db: ProjectDb): Promise<void> {
  for (let busy = true; busy; ) {
    const { rows } = await sql<{ busy: boolean }>`
      select exists (select from pg_stat_activity
                      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle') as busy,
             pg_sleep(0.02)`.execute(db.sql)
    busy = rows[0]?.busy ?? false
  }
  await sql`update messages set lease_until = lease_until - make_interval(secs => ${leaseSeconds}) where lease_token is not null`.execute(
    db.sql,
  )
}
