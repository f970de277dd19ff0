import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { openAppBeside } from './rig/app-beside.ts'
import { startBenchServer } from './rig/bench-database.ts'
import { first } from './rig/first.ts'
import { fillProject, rowsEach } from './rig/full-project.ts'
import type { Taken, Turns } from './rig/load.ts'
import { copyAll, countRows } from './rig/other-projects.ts'
import { startPart } from './rig/part.ts'
import { planOf } from './rig/plan-of.ts'
import { readingEndpoints } from './rig/reading-endpoints.ts'
import { startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const otherRows = fullOrShort(100_000, 1_000)
const roundMs = fullOrShort(400, 50)
const rounds = fullOrShort(9, 1)

/**
 * Two databases on one PostgreSQL hold the same project; in one of them 5,000 others stand beside it, each as full, so
 * that every table that is listed has 100,000 rows of others. A service on each answers the same requests, one at a
 * time, in turns.
 */
export const tenants: Benchmark = {
  name: 'tenants',
  measures: 'time of each list… with 100,000 rows of other projects in its table ÷ with none; the worst of all',
  goal: { most: 1.1 },
  async run(say) {
    await using folder = await temporaryFolder()
    await using server = await startBenchServer(folder.path)
    const alone = await server.database('alone')
    await using provider = await startPart('./provider.ts')
    await using receiver = await startPart('./receiver.ts')
    const parts = { providerUrl: await provider.ask<string>('url'), receiverUrl: await receiver.ask<string>('url') }
    const filling = await startService(folder.path, { ...alone.env, MORTISE_ROLES: 'all' })
    const { settings, apiKey } = filling
    let found: Awaited<ReturnType<typeof readingEndpoints>>
    try {
      await using beside = await openAppBeside(settings)
      found = await readingEndpoints(beside, await fillProject(filling, beside, alone.superuser, parts), apiKey)
    } finally {
      await filling[Symbol.asyncDispose]()
    }

    const crowded = await server.database('crowded', 'alone')
    const began = performance.now()
    await copyAll(crowded.superuser, otherRows / rowsEach)
    const messages = await countRows(crowded.superuser, 'messages')
    say(`others stand beside it after ${((performance.now() - began) / 1000).toFixed(0)} s, with ${messages} messages`)

    const start = (env: Record<string, string>) =>
      startService(folder.path, { ...env, MORTISE_BOOTSTRAP_API_KEY: apiKey, MORTISE_ROLES: 'api' })
    await using withNone = await start(alone.env)
    await using withOthers = await start(crowded.env)
    await using load = await startPart('./load.ts')
    const only = process.argv.slice(2)
    const lists = found.asked.filter(({ id }) => id.startsWith('list') && (only.length === 0 || only.includes(id)))
    const times = new Map(lists.map(({ id }) => [id, { none: [] as number[], others: [] as number[] }]))
    for (let round = -1; round < rounds; round++) {
      for (const { id, path, headers } of lists) {
        const turns = { origins: [withNone.url, withOthers.url], path, headers, ms: roundMs } satisfies Turns
        const { ms, bytes } = await load.ask<Taken>('inTurns', turns)
        if (bytes[0] !== bytes[1]) throw new Error(`${id}: ${bytes[0]} bytes alone, ${bytes[1]} with others beside it`)
        if (round < 0) continue
        times.get(id)?.none.push(ms[0])
        times.get(id)?.others.push(ms[1])
      }
    }
    const table = []
    for (const { id, statements } of lists) {
      const { none = [], others = [] } = times.get(id) ?? {}
      const plans = {
        none: await planOf(alone.superuser, statements),
        others: await planOf(crowded.superuser, statements),
      }
      table.push({
        id,
        ratio: rounded(median(others.map((ms, round) => ms / (none[round] ?? Number.NaN)))),
        ms: { none: rounded(median(none)), others: rounded(median(others)) },
        pages: { none: plans.none.pages, others: plans.others.pages },
        scanned: plans.others.scanned,
      })
    }
    table.sort((a, b) => b.ratio - a.ratio)
    for (const { id, ratio, ms, pages, scanned } of table)
      say(
        `${ratio.toFixed(2)} ${id}: ${ms.others} ms ÷ ${ms.none} ms; ${pages.others} and ${pages.none} pages${scanned.length > 0 ? `; ${scanned.join(', ')}` : ''}`,
      )
    const worst = first(table)
    return {
      value: worst.ratio,
      holds: table.every(({ scanned }) => scanned.length === 0),
      details: { worst: worst.id, otherRows, rows: rowsEach, rounds, roundMs, lists: table },
    }
  },
}

if (import.meta.main) process.exitCode = (await runAlone(tenants)) ? 0 : 1
