import { sql } from 'kysely'
import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import { deleteOldIdempotencyKeys } from '../../../kernel/http/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'

/** A table of this size is worth the planner's attention: eight pages, some hundred rows. */
const newTableBytes = 65_536

/**
 * Creates the partitions of the coming days. Runs before anything is written, and every hour by a tick. If all of them
 * exist it takes no lock: a backup locks the partitions for as long as it runs, and a service must be able to start
 * meanwhile.
 */
export async function ensurePartitions({ database }: { database: Database }): Promise<void> {
  await sql`
    select ensure_partitions(current_date - 1, current_date + 7)
     where exists (select from generate_series(current_date - 1, current_date + 7, interval '1 day') as day,
                          unnest(array['operations', 'operation_logs', 'messages', 'message_results', 'attempts']) as parent
                    where to_regclass(parent || '_' || to_char(day, 'YYYYMMDD')) is null)`.execute(database.system)
}

/**
 * Creates the partitions of coming days and drops those beyond retention, once an hour on every node. Both are
 * idempotent, and a lock makes nodes run them one after the other. Keeps a day that still has a waiting message, a
 * dead letter within its retention or a running operation. Deletes idempotency keys after their day. Gives the planner
 * statistics of tables that have rows for the first time.
 */
export function retentionTicks(services: { config: Config; database: Database; log: Logger }): Tick[] {
  const { config, database, log } = services
  return [
    {
      name: 'upkeep.partitions',
      everyMs: 3_600_000,
      async run() {
        await ensurePartitions(services)
        const { rows } = await sql<{ name: string }>`
          select drop_expired_partitions(
            current_date - ${config.retentionDays}::int,
            now() - make_interval(days => ${config.deadLetterDays ?? config.retentionDays}::int)) as name`.execute(
          database.system,
        )
        if (rows.length > 0) log.info({ partitions: rows.map((row) => row.name) }, 'dropped partitions past retention')
        return false
      },
    },
    {
      name: 'upkeep.statistics',
      everyMs: 5_000,
      async run() {
        const { rows } = await sql`select analyze_new_tables(${newTableBytes})`.execute(database.system)
        return rows.length > 0
      },
    },
    {
      name: 'upkeep.idempotency-keys',
      everyMs: 600_000,
      // In batches, so that no statement locks many rows.
      run: async () => (await deleteOldIdempotencyKeys(database.system)) > 0,
    },
  ]
}
