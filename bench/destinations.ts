import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { type Benchmark, runAlone } from './benchmark.ts'
import { rounded } from './measure/statistics.ts'
import { timeBrokers } from './rig/broker-destinations.ts'
import { memoryOfFiles } from './rig/file-destinations.ts'
import { lagOfMixed } from './rig/mixed-destinations.ts'
import { fullOrShort } from './rig/short.ts'
import { timeTables } from './rig/table-destinations.ts'
import { startMysqlTables, startPostgresTables } from './rig/table-targets.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const limits = { postgres: 0.35, brokers: 0.5, memoryMb: 128, memoryGrowth: 1.15, lagMs: 2_000 }
const tableSizes = { rounds: fullOrShort(5, 2), pages: fullOrShort(2_000, 200), warmUpPages: fullOrShort(2_000, 100) }
const brokerSizes = { rounds: fullOrShort(9, 3), batchesPerRound: fullOrShort(100, 20) }
const fileRecords = Number(process.env['BENCH_RECORDS'] ?? fullOrShort(1_000_000, 200_000))
const mixedSizes = {
  count: fullOrShort(1_000, 200),
  windowMs: fullOrShort(60_000, 10_000),
  messagesEach: fullOrShort(3, 2),
}

/** What one part found, and whether it keeps its limits. The first has the figure of the benchmark. */
interface Part {
  value?: number
  holds: boolean
  details: unknown
}

type Say = (line: string) => void

const parts: Record<string, (folder: string, say: Say) => Promise<Part>> = {
  async postgres(folder, say) {
    await using target = await startPostgresTables(join(folder, 'tables'))
    const { ratio, details } = await timeTables(target, { folder: join(folder, 'service'), ...tableSizes }, say)
    say(`postgres: ${ratio.toFixed(2)} of a bare COPY loop (limit ≥ ${limits.postgres})`)
    return { value: ratio, holds: ratio >= limits.postgres, details: { ratio: rounded(ratio), ...details } }
  },
  async mysql(folder, say) {
    await using target = await startMysqlTables()
    if (target === undefined) return { holds: true, details: 'no server' }
    const { ratio, details } = await timeTables(target, { folder, ...tableSizes }, say)
    say(`mysql: ${ratio.toFixed(2)} of bare multi-row INSERT (no limit)`)
    return { holds: true, details: { ratio: rounded(ratio), ...details } }
  },
  async brokers(_folder, say) {
    const { times, missing } = await timeBrokers(brokerSizes, say)
    for (const { kind, recordsPerMessage, ratio, cpuUs } of times)
      say(
        `${kind}: ${ratio} of its client, ${recordsPerMessage} records a message (limit ≥ ${limits.brokers}); ${cpuUs.sender} and ${cpuUs.plain} µs of processor time a message`,
      )
    // What was not measured keeps no limit.
    const holds = missing.length === 0 && times.every(({ ratio }) => ratio >= limits.brokers)
    return { holds, details: { times, missing } }
  },
  async files(folder, say) {
    const memory = await memoryOfFiles(folder, fileRecords)
    const { firstHalf, secondHalf } = memory.peakMb
    say(
      `${fileRecords.toLocaleString('en')} records to Parquet: ${Math.max(firstHalf, secondHalf)} MB over idle (limit ≤ ${limits.memoryMb}), second half ${secondHalf} MB, first half ${firstHalf} MB (limit ≤ ${limits.memoryGrowth} times); ${memory.keptMb} MB after a forced collection; ${memory.perSecond.toLocaleString('en')} records/s with ${memory.cpuUs} µs of processor time each`,
    )
    const isFlat = secondHalf <= firstHalf * limits.memoryGrowth
    return { holds: Math.max(firstHalf, secondHalf) <= limits.memoryMb && isFlat, details: memory }
  },
  async mixed(folder, say) {
    const lag = await lagOfMixed(folder, mixedSizes)
    const { quiet, whileHanging } = lag
    say(
      `${lag.destinations} destinations, ${lag.hanging} of them hang: p99 of the lag of the others ${whileHanging.p99Ms} ms (limit < ${limits.lagMs}), ${quiet.p99Ms} ms while none hangs`,
    )
    return { holds: whileHanging.p99Ms < limits.lagMs, details: lag }
  },
}

/**
 * What destinations of several types cost, each part beside its limit: tables, brokers, the memory of files, and many
 * destinations of which some hang. `BENCH_PARTS` names some of the parts, separated by commas.
 */
export const destinations: Benchmark = {
  name: 'destinations',
  measures: 'records/s from provider to a table of PostgreSQL ÷ a bare COPY loop of the same rows; also other types',
  goal: { least: limits.postgres },
  async run(say) {
    await using folder = await temporaryFolder()
    const wanted = process.env['BENCH_PARTS']?.split(',') ?? Object.keys(parts)
    const found: Record<string, Part> = {}
    for (const name of wanted) {
      const measure = parts[name]
      if (measure === undefined) throw new Error(`unknown: ${name}. There are ${Object.keys(parts).join(', ')}.`)
      const own = join(folder.path, name)
      await mkdir(own)
      // PostgreSQL's account, where root runs this, has to pass through.
      await chmod(own, 0o711)
      found[name] = await measure(own, say)
    }
    return {
      // Without the first part, nothing has the figure of the benchmark.
      value: found['postgres']?.value ?? Number.NaN,
      holds: Object.values(found).every(({ holds }) => holds),
      details: Object.fromEntries(Object.entries(found).map(([name, { details }]) => [name, details])),
    }
  },
}

if (import.meta.main) process.exitCode = (await runAlone(destinations)) ? 0 : 1
