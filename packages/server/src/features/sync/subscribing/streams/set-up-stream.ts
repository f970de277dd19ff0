import { sql } from 'kysely'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Lease, Work } from '../../../../kernel/work/index.ts'
import { lockInstallation, refreshHealth } from '../../../integrations/installations/index.ts'
import type { SubscriptionRow } from '../store.ts'
import { restartStream } from './stream-store.ts'

/**
 * Brings the stream of an installation in line with what it subscribes to: a node opens it again, or it ends with its
 * subscription. The stream itself reports whether the provider accepts it.
 */
export async function setUpStream(
  db: ProjectDb,
  { work }: { work: Work },
  lease: Lease<SubscriptionRow>,
  isWanted: boolean,
): Promise<void> {
  await db.transaction(async (tx) => {
    // First, as in the report of a stream, which locks the same rows.
    await lockInstallation(tx, lease.row.installation_id)
    const known = await lease.lock(tx)
    // A change made it due again meanwhile.
    if (known.next_time?.getTime() !== lease.row.next_time?.getTime()) return lease.release(tx)
    if (!isWanted) {
      await lease.finish(tx)
      return refreshHealth(tx, { installationId: known.installation_id })
    }
    await lease.complete(tx, { due: null, set: sql`update_time = now()` })
    await restartStream(tx, known.installation_id, work.now())
  })
}
