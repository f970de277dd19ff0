import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { timeDatabases } from './rig/databases.ts'
import { fullOrShort } from './rig/short.ts'
import { findStock, noStock } from './rig/stock-postgres.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const rounds = fullOrShort(9, 1)
const pages = fullOrShort(200, 20)

/**
 * One service on each database: the embedded one, every stock PostgreSQL of this machine, and the newest of them behind
 * PgBouncer. Each in turn reads and delivers a backfill of 20,000 records. The figure is the worst of the databases, as
 * the median over the rounds of its time divided by that of the embedded one.
 */
export const databases: Benchmark = {
  name: 'databases',
  measures:
    'time of a backfill of 20,000 records on a stock PostgreSQL, or behind PgBouncer ÷ on the embedded one; the worst',
  goal: { most: 1.3 },
  async run(say) {
    if (!(await findStock())) throw new Error(noStock)
    await using folder = await temporaryFolder()
    const [embedded, ...others] = await timeDatabases(folder.path, { rounds, pages }, () => undefined)
    const ratios = others.map(({ database, ms, cpuMs }) => {
      const ratio = rounded(median(ms.map((took, round) => took / (embedded?.ms[round] ?? Number.NaN))))
      say(
        `${ratio.toFixed(2)} ${database}: median ${median(ms).toFixed(0)} ms, ${cpuMs} ms of processor time of the service`,
      )
      return ratio
    })
    say(`embedded: median ${median(embedded?.ms ?? []).toFixed(0)} ms, ${embedded?.cpuMs} ms of processor time`)
    return { value: Math.max(...ratios), details: { pages, rounds, embedded, others, ratios } }
  },
}

if (import.meta.main) process.exitCode = (await runAlone(databases)) ? 0 : 1
