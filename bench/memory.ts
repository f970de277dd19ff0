import { type Benchmark, runAlone } from './benchmark.ts'
import { rounded, slope } from './measure/statistics.ts'
import { install, prepare } from './rig/bench-crm.ts'
import { startPart } from './rig/part.ts'
import type { Received } from './rig/receiver.ts'
import { recordsPerPage } from './rig/record-size.ts'
import { startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const records = fullOrShort(1_000_000, 100_000)
const sampleEvery = fullOrShort(50_000, 10_000)
/** Growth between the middle and the end of the run that counts as none: what collections leave differs by a few MB. */
const flatMbPerMillion = 16
const megabyte = 2 ** 20

/**
 * One backfill of a million records flows through the service as `npm start` runs it. Every 50,000 records that have
 * arrived, memory is collected by force and what stays resident is noted; PostgreSQL is processes of its own. Idle is
 * the service after its start and a collection, before it has read anything.
 */
export const memory: Benchmark = {
  name: 'memory',
  measures: 'resident memory over idle while 1,000,000 records flow, after forced collections; the most of all samples',
  goal: { most: 96 },
  unit: 'MB',
  async run(say) {
    await using folder = await temporaryFolder()
    await using provider = await startPart('./provider.ts')
    await using receiver = await startPart('./receiver.ts')
    await using service = await startService(folder.path)
    const providerUrl = await provider.ask<string>('url')
    const integrationId = await prepare(service, await receiver.ask<string>('url'))

    const idle = await service.memory()
    say(`idle ${(idle.resident / megabyte).toFixed(0)} MB`)
    await install(service, { integrationId, groupRef: 'customer', providerUrl, pages: records / recordsPerPage })
    const samples: { records: number; overIdleMb: number; heapMb: number }[] = []
    for (let next = sampleEvery; next <= records; next += sampleEvery) {
      const received = await receiver.ask<Received>('reached', next)
      const { resident, heap } = await service.memory()
      const sample = {
        records: received.records,
        overIdleMb: rounded((resident - idle.resident) / megabyte, 1),
        heapMb: rounded(heap / megabyte, 1),
      }
      samples.push(sample)
      if (samples.length % 4 === 0)
        say(
          `${sample.records.toLocaleString('en')} records: ${sample.overIdleMb} MB over idle, heap ${sample.heapMb} MB`,
        )
    }
    const secondHalf = samples.slice(samples.length / 2)
    // What is on its way at the moment of a sample comes and goes; what stays is the lower of two neighbours.
    const floor = secondHalf.map(({ records: x, overIdleMb }, index) => ({
      x: x / 1_000_000,
      y: Math.min(overIdleMb, secondHalf[index - 1]?.overIdleMb ?? overIdleMb),
    }))
    const growth = slope(floor)
    say(`in the second half it grows by ${growth.toFixed(1)} MB a million records`)
    return {
      value: Math.max(...samples.map(({ overIdleMb }) => overIdleMb)),
      holds: growth <= flatMbPerMillion,
      details: {
        idleMb: rounded(idle.resident / megabyte, 1),
        growthMbPerMillion: rounded(growth, 1),
        flatMbPerMillion,
        samples,
      },
    }
  },
}

if (import.meta.main) process.exitCode = (await runAlone(memory)) ? 0 : 1
