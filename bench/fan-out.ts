import { type Benchmark, runAlone } from './benchmark.ts'
import { rounded } from './measure/statistics.ts'
import { startPart } from './rig/part.ts'
import type { Received } from './rig/receiver.ts'
import { startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const accounts = fullOrShort(10_000, 1_000)
const contactsEach = 5
/** As the provider's file has it: in a second. */
const limit = 250
const sampleEvery = fullOrShort(1_000, 250)
const megabyte = 2 ** 20

const sourceYaml = `
specVersion: 1.0.0
integrations:
  - name: benchAccounts
    provider: benchAccounts
    read:
      objects:
        - objectName: contacts
          destination: receiver
          schedule: '0 3 * * *'
          requiredFields: [{ fieldName: id }, { fieldName: name }]
          backfill: { defaultPeriod: { fullHistory: true } }
`

/**
 * One full backfill with a read for each of 10,000 parents, at a provider that counts and refuses what is too much in
 * any second. Every 1,000 parents, memory is collected by force and what stays resident is noted.
 */
export const fanOut: Benchmark = {
  name: 'fan-out',
  measures:
    'resident memory of a backfill over 10,000 parents, after forced collections: the most of all samples over the first',
  goal: { most: 32 },
  unit: 'MB',
  async run(say) {
    await using folder = await temporaryFolder()
    await using provider = await startPart('./parents.ts', { args: [String(limit)] })
    await using receiver = await startPart('./receiver.ts')
    await using service = await startService(folder.path)
    const metadata = { url: await receiver.ask<string>('url') }
    await service.call('POST', '/destinations', { name: 'receiver', type: 'webhook', metadata })
    const [integration] = await service.call<{ id: string }[]>('PUT', '/integrations:batch', { sourceYaml })
    const { id: connectionId } = await service.call<{ id: string }>('POST', '/connections:generate', {
      groupRef: 'customer',
      consumerRef: 'customer',
      provider: 'benchAccounts',
      apiKey: 'bench',
      providerMetadata: { url: await provider.ask<string>('url'), accounts: String(accounts) },
    })
    const idle = await service.memory()
    const begun = performance.now()
    await service.call('POST', `/integrations/${integration?.id}/installations?skipSampling=true`, {
      groupRef: 'customer',
      connectionId,
      config: { content: { provider: 'benchAccounts', read: { objects: { contacts: { objectName: 'contacts' } } } } },
    })
    const samples: { parents: number; residentMb: number; heapMb: number }[] = []
    for (let parents = sampleEvery; parents <= accounts; parents += sampleEvery) {
      await receiver.ask<Received>('reached', parents * contactsEach)
      const { resident, heap } = await service.memory()
      samples.push({
        parents,
        residentMb: rounded(resident / megabyte, 1),
        heapMb: rounded(heap / megabyte, 1),
      })
      say(`${parents.toLocaleString('en')} parents: ${(resident / megabyte).toFixed(1)} MB`)
    }
    const seconds = (performance.now() - begun) / 1000
    const { requests, refused } = await provider.ask<{ requests: number; refused: number }>('counted')
    say(`${requests.toLocaleString('en')} requests, ${(requests / seconds).toFixed(0)} a second; ${refused} refused`)
    const resident = samples.map(({ residentMb }) => residentMb)
    return {
      value: rounded(Math.max(...resident) - (resident[0] ?? 0), 1),
      // One for each parent, one for each page of them, one that finds no more, and a page of parents for each slice of
      // a minute.
      holds: refused === 0 && requests <= accounts + accounts / 100 + 1 + Math.ceil(seconds / 60),
      details: {
        idleMb: rounded(idle.resident / megabyte, 1),
        overIdleMb: rounded(Math.max(...resident) - idle.resident / megabyte, 1),
        requests,
        refused,
        limit,
        perSecond: rounded(requests / seconds, 1),
        samples,
      },
    }
  },
}

if (import.meta.main) process.exitCode = (await runAlone(fanOut)) ? 0 : 1
