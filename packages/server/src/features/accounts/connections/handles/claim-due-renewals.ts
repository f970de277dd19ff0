import type { Database } from '../../../../kernel/db/index.ts'
import type { JobQueue, Tick } from '../../../../kernel/jobs/index.ts'
import type { Work } from '../../../../kernel/work/index.ts'
import { dispatchRenewals } from '../../credentials/index.ts'
import { renewConnectionJob } from '../job-references.ts'

const batchSize = 200
/** A job that never came to its end leaves its connection due again after this. */
const againMs = 15 * 60_000

type ClaimServices = { database: Database; queue: JobQueue; work: Work }

/**
 * Enqueues the renewal of credentials that are due, across projects: the cost follows what is due (partial index
 * `credentials_to_renew`). Those that are being renewed are passed over. Returns how many there were.
 */
export async function claimDueRenewals({ database, queue, work }: ClaimServices): Promise<number> {
  return database.system.transaction().execute(async (tx) => {
    const rows = await dispatchRenewals(tx, work, { limit: batchSize, againMs })
    const items = rows.map(({ project_id: projectId, connection_id: connectionId }) => ({
      data: { projectId, connectionId },
      key: connectionId,
    }))
    await queue.enqueueAll({ sql: tx }, renewConnectionJob, items)
    return rows.length
  })
}

export function connectionsTicks(services: ClaimServices): Tick[] {
  return [
    {
      name: 'connections.keep-alive',
      everyMs: 10_000,
      run: async () => (await claimDueRenewals(services)) === batchSize,
    },
  ]
}
