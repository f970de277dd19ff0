import pg from 'pg'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { startBenchServer } from './rig/bench-database.ts'
import { type Part, startPart } from './rig/part.ts'
import { type Service, startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const ids = fullOrShort(1_000_000, 100_000)
const rounds = fullOrShort(5, 1)
/** One record in so many was deleted when the last check runs. */
const deletedEvery = 1_000
const diskGoalMb = 8
/** A check of all ids may have so much more in memory than ten of a tenth: collections leave differences. */
const flatMb = 16
const megabyte = 2 ** 20

const sourceYaml = `
specVersion: 1.0.0
integrations:
  - name: benchIds
    provider: benchIds
    read:
      objects:
        - objectName: contacts
          destination: receiver
          requiredFields: [{ fieldName: id }]
          deletions: { schedule: '0 3 * * *' }
`

/**
 * Checks an account with a million records for deleted ones, in turns with a loop that lists the same ids with the same
 * connector and keeps nothing.
 */
export const deletions: Benchmark = {
  name: 'deletions',
  measures: 'ids/s of a check for deleted records ÷ of listing the same ids and keeping nothing; disk and memory, too',
  goal: { least: 0.5 },
  unit: '',
  async run(say) {
    await using folder = await temporaryFolder()
    await using provider = await startPart('./ids-provider.ts')
    await using plain = await startPart('./plain-ids.ts')
    await using receiver = await startPart('./receiver.ts')
    await using server = await startBenchServer(folder.path)
    const database = await server.database('deletions')
    await using service = await startService(folder.path, database.env)
    const client = new pg.Client({ ...database.superuser, options: '-c search_path=mortise' })
    await client.connect()
    try {
      return await measure({ service, provider, plain, client, receiverUrl: await receiver.ask<string>('url') }, say)
    } finally {
      await client.end()
    }
  },
}

interface Rig {
  service: Service
  provider: Part
  plain: Part
  client: pg.Client
  receiverUrl: string
}

async function measure({ service, provider, plain, client, receiverUrl }: Rig, say: (line: string) => void) {
  const url = await provider.ask<string>('url')
  await install(service, url, receiverUrl)

  const know = async (count: number) => {
    await provider.ask('hold', count)
    await client.query(`update deletion_checks set baseline_time = null`)
    await check(service)
  }
  await know(ids)
  const idle = (await service.memory()).resident
  const overIdleOf = async (checks: number) => {
    const running = checkTimes(service, checks)
    const samples: number[] = []
    for (let ended = false; !ended; ) {
      samples.push((await service.memory()).resident - idle)
      ended = await Promise.race([running.then(() => true), pause(50).then(() => false)])
    }
    return Math.max(...samples) / megabyte
  }
  const wholeMb = await overIdleOf(1)
  await know(ids / 10)
  // As many ids as one check of all: a single check of a tenth is too short to be observed.
  const tenthMb = await overIdleOf(10)
  await know(ids)
  say(`over idle during a check: ${tenthMb.toFixed(1)} MB for a tenth, ${wholeMb.toFixed(1)} MB for all`)

  const figures: { plain: number; checked: number; cpu: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const cpuBefore = { plain: await plain.ask<number>('cpuMs'), service: await service.cpuMs() }
    const listed = await seconds(() => plain.ask<number>('list', url))
    const checked = await seconds(() => check(service))
    const cpu = {
      plain: (await plain.ask<number>('cpuMs')) - cpuBefore.plain,
      service: (await service.cpuMs()) - cpuBefore.service,
    }
    figures.push({ plain: ids / listed, checked: ids / checked, cpu: cpu.service / cpu.plain })
    say(
      `${(ids / checked).toFixed(0)} ids/s checked, ${(ids / listed).toFixed(0)} ids/s listed; processor time ${cpu.service.toFixed(0)} and ${cpu.plain.toFixed(0)} ms`,
    )
  }
  const { rows } = await client.query(`select sum(octet_length(ids))::int as bytes from delivered_ids`)
  const diskMb = rows[0].bytes / megabyte
  say(`${diskMb.toFixed(1)} MB of ids stored`)

  await provider.ask('leaveOut', deletedEvery)
  const results = [await check(service), await check(service)]
  const expected = `${ids / deletedEvery} deleted records found`
  say(results.join(' | '))
  return {
    value: rounded(median(figures.map(({ plain: listed, checked }) => checked / listed))),
    holds:
      wholeMb - tenthMb <= flatMb &&
      diskMb <= diskGoalMb &&
      results.filter((one) => one.endsWith(expected)).length === 1,
    details: {
      ids,
      rounds: figures.map((round) => ({ plain: rounded(round.plain, 0), checked: rounded(round.checked, 0) })),
      timesProcessorTime: rounded(median(figures.map(({ cpu }) => cpu))),
      storedMb: rounded(diskMb, 1),
      diskGoalMb,
      overIdleOfATenthMb: rounded(tenthMb, 1),
      overIdleMb: rounded(wholeMb, 1),
      flatMb,
    },
  }
}

async function checkTimes(service: Service, checks: number): Promise<void> {
  for (let done = 0; done < checks; done++) await check(service)
}

async function install(service: Service, url: string, receiverUrl: string): Promise<void> {
  await service.call('POST', '/destinations', { name: 'receiver', type: 'webhook', metadata: { url: receiverUrl } })
  await service.call('PUT', '/integrations:batch', { sourceYaml })
  const { id: connectionId } = await service.call<{ id: string }>('POST', '/connections:generate', {
    groupRef: 'customer',
    consumerRef: 'customer',
    provider: 'benchIds',
    apiKey: 'bench',
    providerMetadata: { url },
  })
  await service.call('POST', '/integrations/benchIds/installations?skipSampling=true', {
    groupRef: 'customer',
    connectionId,
    config: { content: { provider: 'benchIds', read: { objects: { contacts: { objectName: 'contacts' } } } } },
  })
}

/** Runs a check to its end, and returns its result. */
async function check(service: Service): Promise<string> {
  const path = '/integrations/benchIds/objects/contacts'
  const key = { 'x-api-key': service.apiKey }
  const body = { groupRef: 'customer', mode: 'async', deletions: true }
  const answer = await fetch(`${service.url}/read/v1/projects/default${path}`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { operationId } = (await answer.json()) as { operationId: string }
  for (;;) {
    const found = await service.call<{ status: string; result: string }>('GET', `/operations/${operationId}`)
    if (found.status === 'failure') throw new Error(found.result)
    if (found.status === 'success') return found.result
    await pause(100)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1_000
}

if (import.meta.main) process.exitCode = (await runAlone(deletions)) ? 0 : 1
