import { openDatabase } from '../../../../kernel/db/index.ts'
import { JobQueue } from '../../../../kernel/jobs/index.ts'
import { createLogger, createMetrics } from '../../../../kernel/telemetry/index.ts'
import { replay } from '../replay.ts'

/**
 * Processes one replay in a separate process and prints a line after each step; a test may kill it. Its argument is
 * JSON.
 */
const { url, projectId, replayId } = JSON.parse(process.argv[2] ?? '{}')
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
await replay({ database, queue }, { projectId, replayId, signal }, () => process.stdout.write('step\n'))
await database.close()
