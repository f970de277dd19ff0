import type { ClaimLoop } from '../../../../kernel/work/index.ts'
import type { ReadServices } from '../read-services.ts'
import { continueResend } from './continue-resend.ts'
import { claimDueResends } from './resend-store.ts'
import { resendsLoop } from './resends-loop.ts'

/** Continues resends: lists what they read, starts reads as others end, and ends those that are complete. */
export function resends(services: ReadServices): ClaimLoop {
  return {
    name: resendsLoop,
    concurrency: 4,
    async begin(limit, signal) {
      const leases = await claimDueResends(services, limit)
      return leases.map((lease) => continueResend(services, lease, signal))
    },
  }
}
