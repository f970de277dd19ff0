import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { findRunning } from '../packages/server/src/kernel/db/embedded/find-running.ts'
import { judgeSoak, type SoakSample } from './measure/soak-judge.ts'
import { limitsOf } from './measure/soak-limits.ts'
import { quantile, rounded } from './measure/statistics.ts'
import type { EventLags, EventLoad } from './rig/event-load.ts'
import { startPart } from './rig/part.ts'
import { startService } from './rig/service.ts'
import { installSoak, secret, startBackground } from './rig/soak-load.ts'
import { takeSample } from './rig/soak-sample.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

/**
 * `npm run soak -- [--minutes 120] [--rate 200] [--leak 1024]`: hours of steady load on one process with the embedded
 * database. Fails if memory, handles, connections, dead rows, tables or the delivery lag grow.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    /** Events a second, each a delivery. */
    rate: { type: 'string', default: '200' },
    /** Bytes that the service is made to leak with each request, to show that the judgment finds it. */
    leak: { type: 'string', default: '0' },
    /** Writes all samples to this file. */
    samples: { type: 'string' },
  },
})
const minutes = Number(values.minutes)
const perSecond = Number(values.rate)
const customers = 50
const failing = 0.05
const windowMs = 10_000
const megabyte = 2 ** 20

await using folder = await temporaryFolder()
await using events = await startPart('./event-load.ts')
await using polls = await startPart('./poll-provider.ts')
await using proxied = await startPart('./proxied-provider.ts')
await using service = await startService(folder.path, {
  MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
  MORTISE_RETENTION_DAYS: '1',
  MORTISE_BENCH_LEAK_BYTES: values.leak,
})
const server = await findRunning(join(folder.path, 'mortise'))
if (!server) throw new Error('the embedded database was not found')
const connect = async () => {
  const client = new pg.Client({ ...server, user: 'postgres', database: 'mortise', options: '-c search_path=mortise' })
  await client.connect()
  return client
}
const [client, reader] = [await connect(), await connect()]
const urls = {
  receiver: await events.ask<string>('url'),
  polls: await polls.ask<string>('url'),
  proxied: await proxied.ask<string>('url'),
}
await events.ask('answers', { ms: 5, failing })
const { url, accounts } = await installSoak(service, urls, customers)
const stopBackground = await startBackground(service, reader, urls)
console.log(`soak: ${minutes} minutes, ${perSecond} deliveries a second, ${failing * 100} % of the answers are errors`)
console.log('  minute  deliveries  resident MB  heap MB  handles  connections  p99 ms  dead rows  tables MB  cpu ms/s')

const samples: SoakSample[] = []
const began = performance.now()
let cpuBefore = await service.cpuMs()
let atBefore = began
while (performance.now() - began < minutes * 60_000) {
  const load = { url, secret, accounts, ms: windowMs, perSecond, arrivalMs: 60_000 } satisfies EventLoad
  const { lags, missing } = await events.ask<EventLags>('run', load)
  const at = performance.now()
  const sample: SoakSample = {
    at: rounded((at - began) / 1_000),
    deliveries: await events.ask<number>('received'),
    p99: rounded(
      quantile(
        lags.toSorted((a, b) => a - b),
        0.99,
      ),
    ),
    missing,
    ...(await takeSample(service, client)),
  }
  samples.push(sample)
  const cpuMs = await service.cpuMs()
  if (samples.length % 3 === 1) print(sample, (cpuMs - cpuBefore) / ((at - atBefore) / 1_000))
  cpuBefore = cpuMs
  atBefore = at
}
await stopBackground()
await Promise.all([client.end(), reader.end()])

const findings = judgeSoak(samples, limitsOf(minutes))
if (values.samples !== undefined) {
  await writeFile(values.samples, JSON.stringify({ findings, samples }))
}
const failed = findings.filter(({ holds }) => !holds)
for (const { check, value, limit, holds } of findings)
  if (!holds || !/^(dead rows|growth) of /.test(check))
    console.log(`  ${holds ? 'ok  ' : 'FAIL'} ${check}: ${value} (limit ${limit})`)
console.log(`soak: ${failed.length === 0 ? 'passed' : 'failed'}, ${findings.length} checks`)
process.exitCode = failed.length === 0 ? 0 : 1

function print(sample: SoakSample, cpu: number): void {
  const tables = Object.values(sample.tables)
  const columns: [number | string, number][] = [
    [(sample.at / 60).toFixed(1), 8],
    [sample.deliveries, 12],
    [(sample.resident / megabyte).toFixed(1), 13],
    [(sample.heap / megabyte).toFixed(1), 9],
    [sample.handles, 9],
    [sample.connections, 13],
    [sample.p99.toFixed(0), 8],
    [tables.reduce((sum, { dead }) => sum + dead, 0), 11],
    [(tables.reduce((sum, { bytes }) => sum + bytes, 0) / megabyte).toFixed(1), 11],
    [cpu.toFixed(0), 10],
  ]
  console.log(columns.map(([text, width]) => String(text).padStart(width)).join(''))
}
