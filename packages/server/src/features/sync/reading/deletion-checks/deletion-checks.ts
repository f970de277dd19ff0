import type { ClaimLoop } from '../../../../kernel/work/index.ts'
import type { ReadServices } from '../read-services.ts'
import { claimDueChecks } from './check-store.ts'
import { deletionChecksLoop } from './deletion-checks-loop.ts'
import { processCheck } from './process-check.ts'

const sliceMs = 60_000

/** Compares what was delivered with what the provider still has, and delivers what was deleted. */
export function deletionChecks(services: ReadServices): ClaimLoop {
  const log = services.log.child({ loop: deletionChecksLoop })
  return {
    name: deletionChecksLoop,
    concurrency: 4,
    async begin(limit, signal) {
      const leases = await claimDueChecks(services, limit)
      return leases.map((lease) => processCheck({ services, lease, signal, log, sliceMs }))
    },
  }
}
