import { sql } from 'kysely'
import {
  type ClaimLoop,
  createLeaseKeeper,
  type Lease,
  type LeaseKeeper,
  LeaseLost,
} from '../../../../kernel/work/index.ts'
import { runStream, type StreamServices, type StreamTimes, streamTimes } from './run-stream.ts'
import { type StreamRow, streams } from './stream-store.ts'

/** Number of streams that one node opens. Further ones wait for another node. */
const streamsMax = 1_000
/** Number of streams that a node opens each second: after a restart, they do not begin in one moment. */
const openedAtOnce = 25
const afterError = { firstMs: 5_000, maxMs: 15 * 60_000 }

/** Returns the loop that opens the streams of this node, and follows them. */
export function streamsLoop(services: StreamServices, times: StreamTimes = streamTimes): ClaimLoop {
  const { work, database } = services
  const keeper = createLeaseKeeper<StreamRow>({ sql: database.system })
  return {
    name: 'subscribing.stream',
    concurrency: streamsMax,
    async begin(limit, signal) {
      const leases = await work.claimAll(database.system, streams, {
        where: sql`true`,
        order: sql`work.next_time`,
        limit: Math.min(limit, openedAtOnce),
      })
      return leases.map((lease) => runKept(services, keeper, lease, { signal, times }))
    },
  }
}

/** Follows a stream while its lease is renewed. Another node takes it over when this one ends. */
async function runKept(
  services: StreamServices,
  keeper: LeaseKeeper<StreamRow>,
  lease: Lease<StreamRow>,
  { signal, times }: { signal: AbortSignal; times: StreamTimes },
): Promise<undefined> {
  const db = services.database.forProject(lease.row.project_id)
  const { lost, end } = keeper.keep(lease)
  try {
    await runStream(db, services, lease, { signal: AbortSignal.any([signal, lost]), times })
  } catch (error) {
    if (error instanceof LeaseLost || lost.aborted) return undefined
    await (signal.aborted ? lease.release(db) : lease.postponeBy(db, afterError)).catch(() => undefined)
    if (!signal.aborted) throw error
  } finally {
    end()
  }
  return undefined
}
