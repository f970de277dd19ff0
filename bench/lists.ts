import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import { openAppBeside } from './rig/app-beside.ts'
import type { BareHandlers } from './rig/bare-handlers.ts'
import { poolSize, startBenchServer } from './rig/bench-database.ts'
import { first } from './rig/first.ts'
import { fillProject, rowsEach } from './rig/full-project.ts'
import type { Load, Loaded } from './rig/load.ts'
import { startPart } from './rig/part.ts'
import { readingEndpoints } from './rig/reading-endpoints.ts'
import { startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const connections = 10
const roundMs = fullOrShort(300, 50)
const rounds = fullOrShort(7, 1)

interface Turn {
  perSecond: number
  cpuUs: number
}

/**
 * The service and a process of bare handlers answer the same from the same database, by the very statements that the
 * service sends. A third process asks them in turns: each round goes through all endpoints, so that what disturbs the
 * machine disturbs all of them.
 */
export const lists: Benchmark = {
  name: 'lists',
  measures: 'every list… and get… through the whole stack ÷ a bare Fastify handler with the same SQL; the worst of all',
  goal: { least: 0.6 },
  async run(say) {
    await using folder = await temporaryFolder()
    await using server = await startBenchServer(folder.path)
    const { address, superuser, env } = await server.database('mortise')
    await using provider = await startPart('./provider.ts')
    await using receiver = await startPart('./receiver.ts')
    await using service = await startService(folder.path, env)
    await using beside = await openAppBeside(service.settings)
    const project = await fillProject(service, beside, superuser, {
      providerUrl: await provider.ask<string>('url'),
      receiverUrl: await receiver.ask<string>('url'),
    })
    const { asked, left } = await readingEndpoints(beside, project, service.apiKey)
    say(
      `${asked.length} endpoints; not asked: ${Object.entries(left)
        .map(([id, why]) => `${id} (${why})`)
        .join(', ')}`,
    )
    await using bare = await startPart('./bare-handlers.ts')
    const bareUrl = await bare.ask<string>('start', {
      address,
      projectId: (await service.call<{ id: string }>('GET', '')).id,
      poolSize,
      handlers: Object.fromEntries(asked.map(({ id, statements, body }) => [id, { statements, body }])),
    } satisfies BareHandlers)
    await using load = await startPart('./load.ts')

    const only = process.argv.slice(2)
    const measured = asked.filter(({ id }) => only.length === 0 || only.includes(id))
    const turns = new Map(measured.map(({ id }) => [id, { service: [] as Turn[], bare: [] as Turn[] }]))
    /** One side's turn with one endpoint. The load tells the speed; the side itself, what it has worked for that. */
    const turn = async (side: { cpuMs(): Promise<number> }, url: string, headers: Record<string, string>) => {
      const before = await side.cpuMs()
      const { requests, perSecond, bytes } = await load.ask<Loaded>('run', {
        url,
        headers,
        connections,
        ms: roundMs,
      } satisfies Load)
      return { perSecond, bytes, cpuUs: ((await side.cpuMs()) - before) * (1_000 / requests) }
    }
    const bareSide = { cpuMs: () => bare.ask<number>('cpuMs') }
    for (let round = -1; round < rounds; round++) {
      for (const { id, path, headers } of measured) {
        const whole = () => turn(service, service.url + path, headers)
        const least = () => turn(bareSide, `${bareUrl}/${id}`, {})
        const first = round % 2 === 0 ? await whole() : undefined
        const other = await least()
        const through = first ?? (await whole())
        if (through.bytes !== other.bytes)
          throw new Error(`${id}: ${through.bytes} bytes through the stack, ${other.bytes} bare`)
        if (round < 0) continue
        turns.get(id)?.service.push(through)
        turns.get(id)?.bare.push(other)
      }
    }
    const table = measured
      .map(({ id, statements, body }) => {
        const { service = [], bare = [] } = turns.get(id) ?? {}
        const middle = (side: Turn[], what: 'perSecond' | 'cpuUs') => Math.round(median(side.map((turn) => turn[what])))
        return {
          id,
          ratio: rounded(
            median(service.map(({ perSecond }, round) => perSecond / (bare[round]?.perSecond ?? Number.NaN))),
          ),
          perSecond: { service: middle(service, 'perSecond'), bare: middle(bare, 'perSecond') },
          cpuUs: { service: middle(service, 'cpuUs'), bare: middle(bare, 'cpuUs') },
          statements: statements.length,
          bytes: Buffer.byteLength(JSON.stringify(body)),
        }
      })
      .toSorted((a, b) => a.ratio - b.ratio)
    for (const { id, ratio, perSecond, cpuUs, statements, bytes } of table)
      say(
        `${ratio.toFixed(2)} ${id}: ${perSecond.service}/s ÷ ${perSecond.bare}/s; ${cpuUs.service} and ${cpuUs.bare} µs of processor time a request (statements: ${statements}, bytes: ${bytes})`,
      )
    const worst = first(table)
    return {
      value: worst.ratio,
      details: { worst: worst.id, rows: rowsEach, connections, rounds, roundMs, endpoints: table, left },
    }
  },
}

if (import.meta.main) process.exitCode = (await runAlone(lists)) ? 0 : 1
