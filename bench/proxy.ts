import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import pg from 'pg'
import { provision } from '../packages/server/src/kernel/db/index.ts'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, quantile, rounded } from './measure/statistics.ts'
import type { Load, Loaded } from './rig/load.ts'
import { startPart } from './rig/part.ts'
import { startPostgres } from './rig/postgres.ts'
import { installProxied } from './rig/proxied-integration.ts'
import { startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const connections = 16
const roundMs = fullOrShort(1_000, 100)
const rounds = fullOrShort(16, 2)
/** Until code that runs often has been compiled. */
const warmUps = fullOrShort(3, 1)
const calls = fullOrShort(2_000, 200)
const large = 1024 * 1024 * 1024
const megabyte = 2 ** 20
/** What the proxy may add at one connection, and hold of a body. */
const addedMost = { p50Ms: 1, p99Ms: 10 }
const statementsMost = 0.02
/** Processor time of a request ÷ that of the relay. It is shown and does not fail the benchmark: decision 0063. */
const cpuRatioMost = 1.17
const memoryMostMb = 32

/**
 * A provider, a bare relay and the service, each a process, and a process that asks. In turns the relay and the service
 * pass the same requests on, each first in every other round, so that a disturbance meets both. Then, one request at a
 * time: what the service adds to the direct call. Then a body of 1 GB, with a look at the memory at each 64 MB.
 * Statements are counted by PostgreSQL.
 */
export const proxy: Benchmark = {
  name: 'proxy',
  measures:
    'requests through the proxy ÷ through a bare undici relay in the same Node, without authentication or look-up',
  goal: { least: 0.65 },
  async run(say) {
    await using folder = await temporaryFolder()
    const server = await startPostgres(folder.path)
    await using _ = { [Symbol.asyncDispose]: () => server.stop() }
    const address = (await provision({ host: server.host, port: server.port })) as pg.ClientConfig
    await using provider = await startPart('./proxied-provider.ts')
    const providerUrl = await provider.ask<string>('url')
    await using relay = await startPart('./bare-relay.ts')
    const relayUrl = await relay.ask<string>('start', providerUrl)
    await using service = await startService(folder.path, {
      DATABASE_URL: `postgres://${address.user}@localhost:${address.port}/${address.database}?host=${encodeURIComponent(String(address.host))}`,
      MORTISE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
      MORTISE_PROXY_CONCURRENCY: '64',
    })
    const headers = await installProxied(service, providerUrl)
    await using load = await startPart('./load.ts')
    const ask = (url: string, sent: Record<string, string>) =>
      load.ask<Loaded>('run', { url, headers: sent, connections, ms: roundMs } satisfies Load)

    const whole = () => ask(`${service.url}/proxy/things`, headers)
    const least = () => ask(`${relayUrl}/things`, {})
    for (let n = 0; n < warmUps; n++) {
      await whole()
      await least()
    }
    const client = new pg.Client(address)
    await client.connect()
    const before = await transactions(client)
    const { perSecond, cpuUs, asked } = await inTurns({
      service: { ask: whole, cpuMs: () => service.cpuMs() },
      bare: { ask: least, cpuMs: () => relay.ask<number>('cpuMs') },
    })
    const ratios = ratiosOf(perSecond)
    const cpuRatio = median(ratiosOf(cpuUs))
    const statements = ((await transactions(client)) - before) / asked
    await client.end()
    const ratio = median(ratios)
    say(
      `${median(perSecond.service).toFixed(0)}/s ÷ ${median(perSecond.bare).toFixed(0)}/s; ${statements.toFixed(4)} statements a call`,
    )

    say(
      `${median(cpuUs.service).toFixed(0)} µs ÷ ${median(cpuUs.bare).toFixed(0)} µs of processor time for each request, all threads: ${cpuRatio.toFixed(2)} (aim: ${cpuRatioMost.toFixed(2)})`,
    )

    const direct: number[] = []
    const through: number[] = []
    for (let n = 0; n < calls; n++) {
      direct.push(await timed(`${providerUrl}/things`, {}))
      through.push(await timed(`${service.url}/proxy/things`, headers))
    }
    const added = { p50: at(through, 0.5) - at(direct, 0.5), p99: at(through, 0.99) - at(direct, 0.99) }
    say(`adds ${added.p50.toFixed(2)} ms at p50 and ${added.p99.toFixed(2)} ms at p99, at one connection`)

    const idle = await service.memory()
    let most = 0
    await received(`${service.url}/proxy/bytes/${large}`, headers, async () => {
      const { resident } = await service.memory()
      most = Math.max(most, (resident - idle.resident) / megabyte)
    })
    say(`1 GB: at most ${most.toFixed(1)} MB over idle`)
    return {
      value: ratio,
      holds:
        added.p50 < addedMost.p50Ms &&
        added.p99 < addedMost.p99Ms &&
        statements <= statementsMost &&
        most <= memoryMostMb,
      details: {
        perSecond: { service: rounded(median(perSecond.service)), bare: rounded(median(perSecond.bare)) },
        cpuUs: {
          service: rounded(median(cpuUs.service)),
          bare: rounded(median(cpuUs.bare)),
          ratio: rounded(cpuRatio),
          ratioMost: cpuRatioMost,
        },
        ratios: ratios.map((one) => rounded(one)),
        addedMs: { p50: rounded(added.p50), p99: rounded(added.p99), most: addedMost },
        statementsPerCall: { value: rounded(statements, 4), most: statementsMost },
        memoryMb: { overIdle: rounded(most, 1), most: memoryMostMb },
      },
    }
  },
}

type Side = 'service' | 'bare'
/** One number for each round. */
type Rounds = Record<Side, number[]>

/** Asks both sides in turns, each first in every other round. */
async function inTurns(sides: Record<Side, { ask(): Promise<Loaded>; cpuMs(): Promise<number> }>) {
  const perSecond: Rounds = { service: [], bare: [] }
  const cpuUs: Rounds = { service: [], bare: [] }
  let asked = 0
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? (['bare', 'service'] as const) : (['service', 'bare'] as const)) {
      const before = await sides[side].cpuMs()
      const loaded = await sides[side].ask()
      cpuUs[side].push((((await sides[side].cpuMs()) - before) * 1000) / loaded.requests)
      perSecond[side].push(loaded.perSecond)
      if (side === 'service') asked += loaded.requests
    }
  return { perSecond, cpuUs, asked }
}

/** Returns service ÷ bare in each round. */
function ratiosOf({ service, bare }: Rounds): number[] {
  return service.map((value, round) => value / (bare[round] ?? Number.NaN))
}

/** Every statement outside a transaction is one, as PostgreSQL counts. */
async function transactions(client: pg.Client): Promise<number> {
  // Sessions report what they did when they have been idle for a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const { rows } = await client.query(
    'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0].count)
}

async function timed(url: string, headers: Record<string, string>): Promise<number> {
  const began = performance.now()
  await received(url, headers)
  return performance.now() - began
}

/** Takes a whole answer; waits for `look` at each 64 MB of it. */
async function received(url: string, headers: Record<string, string>, look?: () => Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  request(url, { headers }, async (answer) => {
    try {
      if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`)
      let next = 64 * megabyte
      let bytes = 0
      for await (const chunk of answer) {
        bytes += chunk.length
        if (look === undefined || bytes < next) continue
        next += 64 * megabyte
        await look()
      }
      resolve()
    } catch (error) {
      reject(error)
    }
  })
    .once('error', reject)
    .end()
  await promise
}

function at(values: number[], part: number): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    part,
  )
}

if (import.meta.main) process.exitCode = (await runAlone(proxy)) ? 0 : 1
