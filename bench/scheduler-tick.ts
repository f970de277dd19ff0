import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { createCountBuffer } from '../packages/server/src/features/platform/counts/index.ts'
import { claimDueReads, type DueRead } from '../packages/server/src/features/sync/reading/due-reads.ts'
import { nextRun } from '../packages/server/src/features/sync/reading/next-run.ts'
import { createReadSettler, type ReadOutcome } from '../packages/server/src/features/sync/reading/settle-reads.ts'
import { newId } from '../packages/server/src/kernel/db/index.ts'
import { createLogger } from '../packages/server/src/kernel/telemetry/index.ts'
import { Work } from '../packages/server/src/kernel/work/index.ts'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { startPostgres } from './rig/postgres.ts'
import { openQueuedDatabase, type QueuedDatabase } from './rig/queued-database.ts'
import { countReads, insertSchedules, type Schedules, whenDue } from './rig/schedules.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const due = 1_000
const batches = fullOrShort(10, 3)
/** As many as a node claims at most. */
const batchSize = 64
const warmUp = fullOrShort(2, 1)
const from = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000)
const few: Schedules = { total: fullOrShort(10_000, 5_000), due, batches, from }
const many: Schedules = { total: fullOrShort(1_000_000, 20_000), due, batches, from }

/**
 * Two databases on one PostgreSQL with the settings of production. In each of ten rounds another 1,000 schedules,
 * spread over the whole table, are due in both. The service's own statements claim them until nothing is due, and
 * settle them as reads that found nothing: next times, operations and last operations are written and committed. No row
 * is claimed twice, so that no round finds its rows where an earlier one has put them. No checkpoint comes between:
 * where ticks follow each other, as they do every second, nearly every page that one writes has been written since the
 * last checkpoint. The two take turns in going first, and the figure is the median of the rounds' ratios.
 */
export const schedulerTick: Benchmark = {
  name: 'scheduler-tick',
  measures: 'claiming and settling 1,000 due reads among 1,000,000 schedules ÷ among 10,000',
  goal: { most: 1.3 },
  async run(say) {
    await using folder = await temporaryFolder()
    const server = await startPostgres(folder.path)
    await using _ = { [Symbol.asyncDispose]: () => server.stop() }
    await using small = await openQueuedDatabase(server, 'small')
    await using large = await openQueuedDatabase(server, 'large')
    const began = performance.now()
    await insertSchedules(small.database.system, few)
    await insertSchedules(large.database.system, many)
    await small.vacuum()
    await large.vacuum()
    say(`1,010,000 schedules inserted in ${((performance.now() - began) / 1000).toFixed(0)} s`)

    const times = { few: [] as number[], many: [] as number[] }
    for (let batch = 0; batch < batches; batch++) {
      const turns = [
        async () => times.few.push(await tick(small, few, batch)),
        async () => times.many.push(await tick(large, many, batch)),
      ]
      for (const turn of batch % 2 === 0 ? turns : turns.reverse()) await turn()
    }
    const fewMs = median(times.few.slice(warmUp))
    const manyMs = median(times.many.slice(warmUp))
    say(`among 10,000: ${fewMs.toFixed(1)} ms; among 1,000,000: ${manyMs.toFixed(1)} ms`)
    return {
      value: median(times.many.map((ms, round) => ms / (times.few[round] ?? Number.NaN)).slice(warmUp)),
      details: {
        due,
        fewMs: rounded(fewMs),
        manyMs: rounded(manyMs),
        rounds: { few: times.few.map((ms) => rounded(ms)), many: times.many.map((ms) => rounded(ms)) },
      },
    }
  },
}

/** Claims and settles until nothing is due. Answers its milliseconds. */
async function tick({ database }: QueuedDatabase, schedules: Schedules, batch: number): Promise<number> {
  const now = whenDue(schedules, batch)
  const work = new Work({ newId, now: () => sql<Date>`${now}::timestamptz` })
  const log = createLogger({ level: 'warn' })
  const counts = createCountBuffer({ config: { countsRetentionDays: 365 }, database, log, now: () => new Date() })
  const settler = createReadSettler({ database, log, counts, work })
  // What the round before has left to the disk is not this one's.
  await delay(250)
  const began = performance.now()
  for (;;) {
    const leases = await claimDueReads({ database, newId, work }, batchSize)
    await Promise.all(leases.map((lease) => settler.settle(lease, foundNothing(lease.row))))
    if (leases.length < batchSize) break
  }
  // What the reads cost, with their counts.
  await counts.stop()
  const took = performance.now() - began
  const left = await countReads(database.system, now)
  const expected = (batch + 1) * due
  if (left.operations !== expected || left.due !== 0)
    throw new Error(`the reads are something else than what was due: ${JSON.stringify(left)}`)
  return took
}

/** The outcome of a read that found nothing. */
function foundNothing(row: DueRead): ReadOutcome {
  return {
    nextRunAt: nextRun(row.schedule, { after: row.now, installationId: row.installation_id, spreadMs: 0 }),
    mark: row.now,
    ended: {
      projectId: row.project_id,
      operationId: newId(),
      installationId: row.installation_id,
      integrationId: newId(),
      configId: newId(),
      objectName: row.object_name,
      result: 'No new data found',
      begun: row.now,
    },
  }
}

if (import.meta.main) process.exitCode = (await runAlone(schedulerTick)) ? 0 : 1
