import type { Database } from '../../../../kernel/db/index.ts'
import { type JobQueue, job } from '../../../../kernel/jobs/index.ts'
import { replayMessages } from '../job-references.ts'
import { replay } from '../replay.ts'

/**
 * Processes one replay; the key is its id. When the process stops or dies, the replay stays at its last step, and the
 * tick finds every replay that is not complete.
 */
export const replayMessagesHandler = job(replayMessages, {
  policy: 'one-per-key',
  concurrency: 2,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 0,
  retryDelaySeconds: 0,
  run: ({ data, signal }, services: { database: Database; queue: JobQueue }) => replay(services, { ...data, signal }),
})
