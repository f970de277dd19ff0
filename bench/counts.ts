import { join } from 'node:path'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median } from './measure/statistics.ts'
import { install, prepare } from './rig/bench-crm.ts'
import { startPart } from './rig/part.ts'
import type { Received } from './rig/receiver.ts'
import { recordsPerPage } from './rig/record-size.ts'
import { type Service, startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

/** Until code that runs often has been compiled. */
const warmUpPages = fullOrShort(4_000, 50)
const pages = fullOrShort(2_000, 100)
const rounds = fullOrShort(9, 1)

/**
 * Two services, each with its embedded database, read backfills and deliver them: one counts, the other does not. They
 * run alternately, and each begins every second round.
 */
export const counts: Benchmark = {
  name: 'counts',
  measures: 'records/s from provider to receiver with counts ÷ without counts',
  goal: { least: 0.97 },
  async run(say) {
    await using folder = await temporaryFolder()
    await using provider = await startPart('./provider.ts')
    await using receiver = await startPart('./receiver.ts')
    await using counting = await startService(join(folder.path, 'counting'))
    await using silent = await startService(join(folder.path, 'silent'), { MORTISE_COUNTS_RETENTION_DAYS: '0' })
    const providerUrl = await provider.ask<string>('url')
    const receiverUrl = await receiver.ask<string>('url')

    /** Returns a function that measures the records/s of one run. */
    const runOf = async (service: Service) => {
      const integrationId = await prepare(service, receiverUrl)
      return async (round: string, runPages: number) => {
        const records = runPages * recordsPerPage
        await receiver.ask('clear')
        const began = performance.now()
        const arrived = receiver.ask<Received>('reached', records)
        await install(service, { integrationId, groupRef: `customer-${round}`, providerUrl, pages: runPages })
        await arrived
        return records / ((performance.now() - began) / 1000)
      }
    }
    const [withCounts, without] = [await runOf(counting), await runOf(silent)]
    await withCounts('w', warmUpPages)
    await without('w', warmUpPages)
    const figures = { counting: [] as number[], silent: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      if (round % 2 === 0) figures.counting.push(await withCounts(String(round), pages))
      figures.silent.push(await without(String(round), pages))
      if (round % 2 === 1) figures.counting.push(await withCounts(String(round), pages))
      say(
        `round ${round + 1}: with counts ${figures.counting[round]?.toFixed(0)}/s, without ${figures.silent[round]?.toFixed(0)}/s`,
      )
    }
    const counted = await counting.call<{ total: { recordsRead: number } }>('GET', '/counts')
    const uncounted = await silent.call<{ total: { recordsRead: number } }>('GET', '/counts')
    if (counted.total.recordsRead === 0 || uncounted.total.recordsRead > 0)
      throw new Error('one service must count, and the other must not')
    return {
      value: median(figures.counting) / median(figures.silent),
      details: {
        recordsPerRound: pages * recordsPerPage,
        perSecond: Object.fromEntries(Object.entries(figures).map(([name, all]) => [name, all.map(Math.round)])),
      },
    }
  },
}

if (import.meta.main) process.exitCode = (await runAlone(counts)) ? 0 : 1
