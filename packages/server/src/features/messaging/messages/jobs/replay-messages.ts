import type { Database } from '../../../../kernel/db/index.ts'
import { type JobQueue, job } from '../../../../kernel/jobs/index.ts'
import { replayMessages } from '../job-references.ts'
import { replay } from '../replay.ts'

/**
 * Works off one replay. Its key is the id of the replay. When the process stops or dies it is left where it is: the
 * tick finds every replay that is not done.
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
