import type { ClaimLoop } from '../../../kernel/work/index.ts'
import { processRun } from './process-run.ts'
import type { ReadServices } from './read-services.ts'
import { claimDueRuns } from './run-store.ts'
import { storedRunsLoop } from './stored-runs-loop.ts'

/** Time after which a run yields its slot, so that many long backfills take turns. */
const sliceMs = 60_000

/**
 * Processes stored runs: backfills, triggered reads, and scheduled reads that need more than one request. Of one
 * object, one run at a time, the oldest first.
 */
export function storedRuns(services: ReadServices): ClaimLoop {
  const log = services.log.child({ loop: storedRunsLoop })
  return {
    name: storedRunsLoop,
    concurrency: 16,
    async begin(limit, signal) {
      const leases = await claimDueRuns(services, limit)
      return leases.map((lease) => processRun({ services, lease, signal, log, sliceMs }))
    },
  }
}
