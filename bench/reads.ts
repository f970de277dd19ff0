import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Benchmark, runAlone } from './benchmark.ts'
import { rounded } from './measure/statistics.ts'
import { startBenchServer } from './rig/bench-database.ts'
import { insertCustomers } from './rig/customers.ts'
import { first } from './rig/first.ts'
import { startPart } from './rig/part.ts'
import { type Service, startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const intervalMs = 600_000
const customers = Number(process.env['BENCH_CUSTOMERS'] ?? fullOrShort(100_000, 1_000))
/** How long the service reads at its own pace, and how long at the pace of the schedules. */
const backlogMs = Number(process.env['BENCH_BACKLOG_SECONDS'] ?? fullOrShort(60, 5)) * 1_000
const pacedMs = Number(process.env['BENCH_PACED_SECONDS'] ?? fullOrShort(120, 5)) * 1_000
const warmUpMs = fullOrShort(10_000, 1_000)
/** Lag that 99 of 100 reads must stay below: the bound of a bucket of `mortise_read_lag_seconds`. */
const lagMaxSeconds = customers > 10_000 ? 30 : 2
/** Parts of the paced time. A lag that grows shows in the last ones. */
const windows = fullOrShort(12, 2)

/**
 * Installations that are read every ten minutes, one object each. A tenth of the reads finds five records, which are
 * delivered. First all are due, and the service reads as many as it can. Then as many are due each second as their
 * schedules make.
 */
export const reads: Benchmark = {
  name: 'reads',
  measures: `scheduled reads a second among ${customers.toLocaleString('en')} installations, a tenth with changes`,
  goal: { least: 300 },
  unit: '/s',
  async run(say) {
    await using folder = await temporaryFolder()
    await using server = await startBenchServer(folder.path)
    const database = await server.database('reads')
    await using provider = await startPart('./poll-provider.ts')
    await using receiver = await startPart('./receiver.ts')
    await using service = await startService(folder.path, database.env)
    const [providerUrl, receiverUrl] = [await provider.ask<string>('url'), await receiver.ask<string>('url')]
    const began = performance.now()
    await insertCustomers(service, database, { count: customers, providerUrl, receiverUrl })
    say(`${customers} customers inserted in ${((performance.now() - began) / 1_000).toFixed(0)} s`)
    const client = new pg.Client({ ...database.superuser, options: '-c search_path=mortise' })
    await client.connect()
    try {
      await client.query(`update read_states set next_run_at = now() - random() * interval '10 minutes'`)
      await delay(warmUpMs)
      const backlog = await measured(service, client, backlogMs)
      say(`backlog: ${describe(backlog)}`)
      // What is left waits for its turn in the next ten minutes.
      await client.query(
        `update read_states set next_run_at = now() + random() * ${intervalMs} * interval '1 ms' where fence is null`,
      )
      await delay(warmUpMs)
      const perSecond = (customers / intervalMs) * 1_000
      say(`now ${perSecond.toFixed(0)}/s, for ${(pacedMs / 60_000).toFixed(0)} minutes`)
      const paced: Measured[] = []
      while (paced.length < windows) {
        const window = await measured(service, client, pacedMs / windows)
        paced.push(window)
        say(
          `window ${paced.length}: ${describe(window)}; ${(window.withinLag * 100).toFixed(2)} % within ${lagMaxSeconds} s`,
        )
      }
      return {
        value: backlog.perSecond,
        holds: paced.every(({ withinLag }) => withinLag >= 0.99) && mean(paced) >= 0.95 * perSecond,
        details: { customers, backlog, pacedSeconds: pacedMs / 1_000, paced },
      }
    } finally {
      await client.end()
    }
  },
}

interface Measured {
  perSecond: number
  /** Bound of the bucket below which 99 of 100 reads ended, in seconds; 0 if it is above the largest. */
  p99Seconds: number
  /** Share of the reads that ended within the lag that is allowed. */
  withinLag: number
  /** Processor time of the service for each read, in milliseconds. */
  serviceMs: number
  /** Transactions of the database for each read. */
  transactions: number
}

async function measured(service: Service, client: pg.Client, ms: number): Promise<Measured> {
  const before = await counters(service, client)
  await delay(ms)
  const after = await counters(service, client)
  const reads = after.reads - before.reads
  return {
    perSecond: rounded(reads / ((after.at - before.at) / 1_000)),
    p99Seconds: bound99(before.buckets, after.buckets, reads),
    withinLag: rounded((of(after.buckets, lagMaxSeconds) - of(before.buckets, lagMaxSeconds)) / reads),
    serviceMs: rounded((after.cpuMs - before.cpuMs) / reads),
    transactions: rounded((after.transactions - before.transactions) / reads),
  }
}

async function counters(service: Service, client: pg.Client) {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const metric = (name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length + 1) ?? 0,
    )
  const { rows } = await client.query<{ transactions: string }>(
    'select sum(xact_commit)::text as transactions from pg_stat_database where datname = current_database()',
  )
  return {
    at: performance.now(),
    reads: metric('mortise_read_lag_seconds_count'),
    buckets: [...text.matchAll(/^mortise_read_lag_seconds_bucket\{le="([\d.]+)"\} (\d+)$/gm)].map(
      ([, seconds, count]) => ({ seconds: Number(seconds), count: Number(count) }),
    ),
    cpuMs: await service.cpuMs(),
    transactions: Number(first(rows).transactions),
  }
}

interface Bucket {
  seconds: number
  count: number
}

const of = (buckets: readonly Bucket[], bound: number) => buckets.find(({ seconds }) => seconds === bound)?.count ?? 0

const bound99 = (before: readonly Bucket[], after: readonly Bucket[], reads: number) =>
  after.find(({ seconds, count }) => count - of(before, seconds) >= 0.99 * reads)?.seconds ?? 0

const mean = (all: readonly Measured[]) => all.reduce((sum, { perSecond }) => sum + perSecond, 0) / all.length

const describe = ({ perSecond, p99Seconds, serviceMs, transactions }: Measured) =>
  `${perSecond.toFixed(0)}/s, p99 of the lag ≤ ${p99Seconds} s, ${serviceMs.toFixed(2)} ms of processor time of the service and ${transactions.toFixed(1)} transactions for each`

if (import.meta.main) process.exitCode = (await runAlone(reads)) ? 0 : 1
