import { serviceEnvironment, serviceFlags } from '../scripts/service-flags.mjs'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { install, prepare } from './rig/bench-crm.ts'
import { startPart } from './rig/part.ts'
import type { PlainRun } from './rig/plain-loop.ts'
import type { Received } from './rig/receiver.ts'
import { recordBytes, recordsPerPage } from './rig/record-size.ts'
import { startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

/** Until code that runs often has been compiled. */
const warmUpPages = fullOrShort(4_000, 50)
const pages = fullOrShort(2_000, 100)
const rounds = fullOrShort(5, 1)
/** How many times as long as the loop that posts each page before it fetches the next. */
const timesOneByOneLimit = 1.4

/**
 * One process of ours with its embedded database, as `npm start` runs it, reads backfills and delivers them, beside a
 * process that does the same without a database. Provider and receiver are processes of their own. Rounds alternate;
 * each is timed from the request to the arrival of its last record.
 */
export const pipeline: Benchmark = {
  name: 'pipeline',
  measures: 'records/s from provider to receiver through the durable pipeline ÷ the same loop with no database',
  goal: { least: 0.5 },
  async run(say) {
    await using folder = await temporaryFolder()
    await using provider = await startPart('./provider.ts')
    await using receiver = await startPart('./receiver.ts')
    await using plain = await startPart('./plain-loop.ts', { execArgv: serviceFlags, env: serviceEnvironment })
    await using service = await startService(folder.path)
    const providerUrl = await provider.ask<string>('url')
    const receiverUrl = await receiver.ask<string>('url')
    const integrationId = await prepare(service, receiverUrl)

    /** Records/s of one run, and what came of it. */
    const timed = async (runPages: number, start: () => Promise<void>) => {
      const records = runPages * recordsPerPage
      await receiver.ask('clear')
      const began = performance.now()
      const arrived = receiver.ask<Received>('reached', records)
      await start()
      const received = await arrived
      return { perSecond: records / ((performance.now() - began) / 1000), received }
    }
    const durable = (round: string, runPages: number) =>
      timed(runPages, () =>
        install(service, { integrationId, groupRef: `customer-${round}`, providerUrl, pages: runPages }),
      )
    const loop = (runPages: number, oneByOne: boolean) =>
      timed(runPages, () =>
        plain.ask('run', { providerUrl, receiverUrl, pages: runPages, oneByOne } satisfies PlainRun),
      )

    await loop(warmUpPages, false)
    await loop(warmUpPages, true)
    await durable('w', warmUpPages)
    const figures = { durable: [] as number[], plain: [] as number[], oneByOne: [] as number[] }
    const bytes = { durable: 0, plain: 0 }
    let repeated = 0
    for (let round = 0; round < rounds; round++) {
      const without = await loop(pages, false)
      const oneByOne = await loop(pages, true)
      const through = await durable(String(round), pages)
      figures.plain.push(without.perSecond)
      figures.oneByOne.push(oneByOne.perSecond)
      figures.durable.push(through.perSecond)
      bytes.durable = through.received.bytes / through.received.messages
      bytes.plain = without.received.bytes / without.received.messages
      repeated += through.received.repeated
      say(
        `round ${round + 1}: durable ${through.perSecond.toFixed(0)}/s, without a database ${without.perSecond.toFixed(0)}/s, one by one ${oneByOne.perSecond.toFixed(0)}/s`,
      )
    }
    if (Math.abs(bytes.durable / bytes.plain - 1) > 0.01)
      throw new Error(`the two do not send the same: ${JSON.stringify(bytes)}`)
    const value = median(figures.durable) / median(figures.plain)
    const timesOneByOne = median(figures.oneByOne) / median(figures.durable)
    say(
      `${pages * recordsPerPage} records take ${timesOneByOne.toFixed(2)} times as long as one by one (limit ${timesOneByOneLimit})`,
    )
    return {
      value,
      details: {
        recordsPerRound: pages * recordsPerPage,
        recordBytes,
        messageBytes: Math.round(bytes.durable),
        repeated,
        perSecond: Object.fromEntries(Object.entries(figures).map(([name, all]) => [name, all.map(Math.round)])),
        timesOneByOne: rounded(timesOneByOne),
        timesOneByOneLimit,
      },
    }
  },
}

if (import.meta.main) process.exitCode = (await runAlone(pipeline)) ? 0 : 1
