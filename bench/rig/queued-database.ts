import pg from 'pg'
import { allJobs } from '../../packages/server/src/features/index.ts'
import { type Database, openDatabase, provision } from '../../packages/server/src/kernel/db/index.ts'
import { JobQueue } from '../../packages/server/src/kernel/jobs/index.ts'
import { createLogger, createMetrics } from '../../packages/server/src/kernel/telemetry/index.ts'

/** A migrated database on a server of ours, with the queue that jobs go to and that nobody works off. */
export interface QueuedDatabase extends AsyncDisposable {
  database: Database
  queue: JobQueue
  /** Brings it to where a database in use is: dead rows gone, statistics known. */
  vacuum(): Promise<void>
}

export async function openQueuedDatabase(
  server: { host: string; port: number },
  name: string,
): Promise<QueuedDatabase> {
  const { host, port } = server
  const log = createLogger({ level: 'warn' })
  const database = await openDatabase({
    address: await provision({ host, port }, name),
    poolSize: 10,
    applicationName: 'bench',
    onError: (error) => log.warn({ err: error }, 'lost a database connection'),
  })
  const queue = new JobQueue({
    systemPool: database.systemPool,
    log,
    metrics: createMetrics(),
  })
  await queue.start(allJobs)
  return {
    database,
    queue,
    async vacuum() {
      const superuser = new pg.Client({ host, port, user: 'postgres', database: name })
      await superuser.connect()
      try {
        await superuser.query('vacuum analyze')
      } finally {
        await superuser.end()
      }
    },
    async [Symbol.asyncDispose]() {
      await queue.stop()
      await database.close()
    },
  }
}
