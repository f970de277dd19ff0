import { randomBytes } from 'node:crypto'
import { listConnectionRows } from '../packages/server/src/features/accounts/connections/store.ts'
import { listDestinations } from '../packages/server/src/features/messaging/destinations/store.ts'
import { provision } from '../packages/server/src/kernel/db/index.ts'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, rounded } from './measure/statistics.ts'
import type { BareList } from './rig/bare-list.ts'
import type { Load, Loaded } from './rig/load.ts'
import { startPart } from './rig/part.ts'
import { startPostgres } from './rig/postgres.ts'
import { type Service, startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { statementOf } from './rig/statement-of.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const rows = 20
const connections = 10
const roundMs = fullOrShort(2_000, 200)
const rounds = fullOrShort(7, 1)
const lists = ['destinations', 'connections'] as const

/**
 * The service and a bare Fastify handler, each a process, answer the same rows from the same database by the very
 * statement that the service sends. A third process asks them in turns, over equally many connections. The figure is
 * that of the list that fares worse.
 */
export const list: Benchmark = {
  name: 'list',
  measures: 'GET of a 20-row list through the whole stack ÷ a bare Fastify handler with the same SELECT and driver',
  goal: { least: 0.6 },
  async run(say) {
    await using folder = await temporaryFolder()
    const server = await startPostgres(folder.path)
    await using _ = { [Symbol.asyncDispose]: () => server.stop() }
    const address = (await provision({ host: server.host, port: server.port })) as BareList['address']
    await using service = await startService(folder.path, {
      DATABASE_URL: `postgres://${address.user}@localhost:${address.port}/${address.database}?host=${encodeURIComponent(address.host)}`,
      MORTISE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
    })
    const projectId = await fill(service)
    await using bare = await startPart('./bare-list.ts')
    const bareUrl = await bare.ask<string>('start', {
      address,
      projectId,
      statements: {
        destinations: await statementOf(address, projectId, listDestinations),
        connections: await statementOf(address, projectId, (db) => listConnectionRows(db, {})),
      },
    } satisfies BareList)
    await using load = await startPart('./load.ts')

    const ask = (url: string, headers: Record<string, string>, ms = roundMs) =>
      load.ask<Loaded>('run', { url, headers, connections, ms } satisfies Load)
    const figures: Record<string, { ratio: number; service: number; bare: number }> = {}
    for (const name of lists) {
      const whole = () => ask(`${service.url}/v1/projects/default/${name}`, { 'x-api-key': service.apiKey })
      const least = () => ask(`${bareUrl}/${name}`, {})
      await whole()
      await least()
      const ratios: number[] = []
      const perSecond = { service: [] as number[], bare: [] as number[] }
      for (let round = 0; round < rounds; round++) {
        const first = round % 2 === 0 ? await whole() : undefined
        const other = await least()
        const through = first ?? (await whole())
        perSecond.service.push(through.perSecond)
        perSecond.bare.push(other.perSecond)
        ratios.push(through.perSecond / other.perSecond)
      }
      const figure = { ratio: median(ratios), service: median(perSecond.service), bare: median(perSecond.bare) }
      say(
        `${name}: ${figure.service.toFixed(0)}/s through the whole stack, ${figure.bare.toFixed(0)}/s bare: ${figure.ratio.toFixed(2)}`,
      )
      figures[name] = {
        ratio: rounded(figure.ratio),
        service: Math.round(figure.service),
        bare: Math.round(figure.bare),
      }
    }
    return {
      value: Math.min(...Object.values(figures).map(({ ratio }) => ratio)),
      details: { rows, connections, rounds, roundMs, figures },
    }
  },
}

/** Twenty rows for each list. Answers the id of the project. */
async function fill(service: Service): Promise<string> {
  for (let row = 0; row < rows; row++) {
    await service.call('POST', '/destinations', {
      name: `destination-${row}`,
      type: 'webhook',
      metadata: { url: `http://127.0.0.1:4199/${row}` },
    })
    await service.call('POST', '/connections:generate', {
      groupRef: `group-${row}`,
      consumerRef: `consumer-${row}`,
      provider: 'benchCrm',
      apiKey: 'bench',
      providerMetadata: { url: 'http://127.0.0.1:4199', pages: '1' },
    })
  }
  const { id } = await service.call<{ id: string }>('GET', '')
  return id
}

if (import.meta.main) process.exitCode = (await runAlone(list)) ? 0 : 1
