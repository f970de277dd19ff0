import pg from 'pg'
import { connectionConfig, grantQueue, sessionSettings, systemRole } from '../kernel/db/index.ts'
import { type Job, JobQueue } from '../kernel/jobs/index.ts'
import { createLogger, createMetrics } from '../kernel/telemetry/index.ts'
import type { Reached } from './place.ts'

/**
 * Installs the queue system and its queues without processing jobs. Runs before the transaction that restores the rows,
 * because the queue creates its tables in a separate transaction. If the restore fails, an empty queue does no harm.
 */
export async function installQueue(
  { db, address }: Reached,
  rolesInUse: boolean,
  jobs: Job<never, never>[],
): Promise<{ jobs: JobQueue; close(): Promise<void> }> {
  if (rolesInUse) await db.transaction().execute(grantQueue)
  const settings = sessionSettings(rolesInUse ? systemRole : undefined)
  const config = connectionConfig({ address, applicationName: 'mortise-restore' }, settings)
  const systemPool = new pg.Pool({ ...config, max: 2 })
  systemPool.on('error', () => undefined)
  const queue = new JobQueue({
    systemPool,
    log: createLogger({ level: 'silent' }),
    metrics: createMetrics(),
  })
  try {
    await queue.start(jobs)
  } catch (error) {
    await systemPool.end()
    throw error
  }
  return {
    jobs: queue,
    async close() {
      await queue.stop()
      await systemPool.end()
    },
  }
}
