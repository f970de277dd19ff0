import { openDatabase } from '../../../../kernel/db/index.ts'
import { JobQueue } from '../../../../kernel/jobs/index.ts'
import { createLogger, createMetrics } from '../../../../kernel/telemetry/index.ts'
import { replay } from '../replay.ts'

/**
 * Processes one replay in a separate process. With `killedAfter`, it is killed while the step after that many is under
 * way. Its argument is JSON.
 */
const { url, projectId, replayId, killedAfter } = JSON.parse(process.argv[2] ?? '{}')
const database = await openDatabase({
  address: { url },
  poolSize: 4,
  applicationName: 'replay-process',
  onError: (error) => process.stderr.write(`${error.message}\n`),
})
const log = createLogger({ level: 'silent' })
const { systemPool } = database
const queue = new JobQueue({ systemPool, log, metrics: createMetrics() })
const { signal } = new AbortController()
let steps = 0
await replay({ database, queue }, { projectId, replayId, signal }, () => {
  if (++steps === killedAfter) setImmediate(() => process.kill(process.pid, 'SIGKILL'))
})
await database.close()
