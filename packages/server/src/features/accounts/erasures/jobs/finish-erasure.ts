import { sql } from 'kysely'
import type { Config } from '../../../../config.ts'
import type { Database, ProjectDb } from '../../../../kernel/db/index.ts'
import { job } from '../../../../kernel/jobs/index.ts'
import { keepLeases, type Lease, LeaseLost, type Work } from '../../../../kernel/work/index.ts'
import { eraseLateMessages, eraseMessages } from '../../../messaging/messages/index.ts'
import { eraseRecords } from '../../../messaging/records/index.ts'
import { eraseCounts } from '../../../platform/counts/index.ts'
import { eraseOperations } from '../../../platform/operations/index.ts'
import { eraseEvents } from '../../../platform/timelines/index.ts'
import { eraseProviderEvents } from '../../../sync/provider-events/index.ts'
import { finishErasure } from '../job-references.ts'
import { claimErasure, type ErasureRow } from '../store.ts'

/** Messages that one statement looks through: 300 kB each at most. */
const messagesAtOnce = 200
const operationsAtOnce = 500
const recordsAtOnce = 1_000

type EraseServices = { config: Config; database: Database; now: () => Date; work: Work }

/** Erases what is left of a group or consumer that was deleted. */
export const finishErasureHandler = job(finishErasure, {
  policy: 'one-per-key',
  concurrency: 1,
  expireInSeconds: 600,
  heartbeatSeconds: 30,
  // What is not finished is due again; the tick finds it.
  retryLimit: 0,
  retryDelaySeconds: 0,
  async run({ data, signal }, services: EraseServices) {
    const { database, work } = services
    const db = database.forProject(data.projectId)
    const lease = await claimErasure(db, work, data.erasureId)
    if (!lease) return
    try {
      await keepLeases(db, [lease], signal, (signal) => eraseRest(db, services, lease, signal))
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
    }
  },
})

/**
 * Erases the stored records, the counts, the operations with their logs, the histories, what providers sent, and every
 * message that was posted for its installations, or whose body names it. Continues where the worker before it ended.
 */
async function eraseRest(
  db: ProjectDb,
  { config, now }: EraseServices,
  lease: Lease<ErasureRow>,
  signal: AbortSignal,
): Promise<void> {
  const { id, installation_ids: installationIds, kind, ref, cursor } = lease.row
  while (await eraseRecords(db, installationIds, recordsAtOnce)) signal.throwIfAborted()
  while (await eraseOperations(db, installationIds, operationsAtOnce)) signal.throwIfAborted()
  const groupRef = kind === 'group' ? ref : undefined
  while (await eraseEvents(db, { installationIds, groupRef, before: id }, operationsAtOnce)) signal.throwIfAborted()
  while (await eraseProviderEvents(db, installationIds, operationsAtOnce)) signal.throwIfAborted()
  await eraseCounts(db, installationIds, { now: now(), days: config.countsRetentionDays, signal })

  // As JSON.stringify writes it into every body that names it.
  const text = `"${kind}Ref":${JSON.stringify(ref)}`
  let after: string | null | undefined = cursor
  while (after !== undefined) {
    signal.throwIfAborted()
    const next = await eraseMessages(db, { installationIds, text }, { after, before: id, limit: messagesAtOnce })
    if (next !== undefined) await lease.advance(db, sql`cursor = ${next}`)
    after = next
  }
  await eraseLateMessages(db, installationIds, id)
  await lease.finish(db)
}
