import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type Benchmark, runAlone } from './benchmark.ts'
import { postgresCpuMs, postmasterOf } from './measure/postgres-cpu.ts'
import { median, rounded } from './measure/statistics.ts'
import { openAppBeside } from './rig/app-beside.ts'
import type { BareInsert } from './rig/bare-insert.ts'
import { poolSize, startBenchServer } from './rig/bench-database.ts'
import type { Created, Creations } from './rig/creations.ts'
import { startPart } from './rig/part.ts'
import { startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

const connections = 16
const roundMs = fullOrShort(2_000, 200)
const rounds = fullOrShort(7, 1)
const warmUps = fullOrShort(2, 1)
/** What a request may cost, and how many there must be. */
const statementsMost = 5
const perSecondLeast = 700

interface Round {
  perSecond: number
  /** Microseconds of processor time for each request. */
  nodeUs: number
  postgresUs: number
}

/**
 * The service and a bare Fastify handler with one INSERT, each a process, on one PostgreSQL. In turns a third process
 * sends both the same requests over 16 connections: each creates a connection of another customer, with an
 * Idempotency-Key. The service checks each credential with the provider after the response. These checks run during the
 * rounds, too, and their processor time counts: a round ends when none is left.
 */
export const createConnections: Benchmark = {
  name: 'create-connections',
  measures: 'connections created through the whole stack ÷ a bare Fastify handler with one INSERT and the same driver',
  goal: { least: 0.1 },
  async run(say) {
    await using folder = await temporaryFolder()
    await using server = await startBenchServer(folder.path)
    const { superuser, env } = await server.database('mortise')
    await using provider = await startPart('./provider.ts')
    const providerUrl = await provider.ask<string>('url')
    await using service = await startService(folder.path, env)
    await using bare = await startPart('./bare-insert.ts')
    const bareUrl = await bare.ask<string>('start', { address: superuser, poolSize } satisfies BareInsert)
    await using load = await startPart('./creations.ts')
    const client = new pg.Client(superuser)
    await client.connect()
    await using _ = { [Symbol.asyncDispose]: () => client.end() }
    const postmaster = await postmasterOf(client)

    const path = '/v1/projects/default/connections:generate'
    const sides = {
      service: { url: service.url + path, headers: { 'x-api-key': service.apiKey }, cpuMs: () => service.cpuMs() },
      bare: { url: `${bareUrl}/connections`, headers: {}, cpuMs: () => bare.ask<number>('cpuMs') },
    }
    const measured = { service: [] as Round[], bare: [] as Round[] }
    const lateMs: number[] = []
    const round = async (side: keyof typeof sides): Promise<Round> => {
      const { url, headers, cpuMs } = sides[side]
      const before = { node: await cpuMs(), postgres: await postgresCpuMs(postmaster) }
      const { requests, perSecond } = await load.ask<Created>('run', {
        url,
        headers,
        providerUrl,
        connections,
        ms: roundMs,
      } satisfies Creations)
      const ended = performance.now()
      await checked(client)
      if (side === 'service') lateMs.push(performance.now() - ended)
      const usOf = (ms: number) => (ms * 1000) / requests
      return {
        perSecond,
        nodeUs: usOf((await cpuMs()) - before.node),
        postgresUs: usOf((await postgresCpuMs(postmaster)) - before.postgres),
      }
    }
    for (let n = 0; n < warmUps; n++) for (const side of ['service', 'bare'] as const) await round(side)
    lateMs.length = 0
    for (let n = 0; n < rounds; n++)
      for (const side of n % 2 === 0 ? (['bare', 'service'] as const) : (['service', 'bare'] as const))
        measured[side].push(await round(side))

    const middle = (side: keyof typeof sides, what: keyof Round) => median(measured[side].map((one) => one[what]))
    const ratio = median(
      measured.service.map(({ perSecond }, n) => perSecond / (measured.bare[n]?.perSecond ?? Number.NaN)),
    )
    const figures = (side: keyof typeof sides) => ({
      perSecond: Math.round(middle(side, 'perSecond')),
      nodeUs: Math.round(middle(side, 'nodeUs')),
      postgresUs: Math.round(middle(side, 'postgresUs')),
    })
    const [whole, least] = [figures('service'), figures('bare')]
    say(
      `${whole.perSecond}/s through the whole stack, ${least.perSecond}/s bare; every round: ${measured.service.map((one) => Math.round(one.perSecond)).join(', ')}`,
    )
    say(
      `processor time of a request, its check included: Node ${whole.nodeUs} µs, PostgreSQL ${whole.postgresUs} µs; bare ${least.nodeUs} and ${least.postgresUs} µs`,
    )
    say(`the last check ended ${median(lateMs).toFixed(0)} ms after the last response`)
    const statements = await statementsOf(service.settings, providerUrl, service.apiKey)
    say(`${statements.length} statements a request`)
    return {
      value: ratio,
      holds: whole.perSecond >= perSecondLeast && statements.length <= statementsMost,
      details: {
        connections,
        rounds: measured,
        service: { ...whole, least: perSecondLeast },
        bare: least,
        lastCheckMs: rounded(median(lateMs)),
        statements: { count: statements.length, most: statementsMost, texts: statements },
      },
    }
  },
}

/** Waits until no check of a credential is waiting or running. */
async function checked(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      `select from mortise_jobs.job where state < 'completed' and name = 'connections.verify' limit 1`,
    )
    if (rows.length === 0) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Returns what one request sends to the database, as the driver gets it: `begin` and `commit` count, too. */
async function statementsOf(env: Record<string, string>, providerUrl: string, apiKey: string): Promise<string[]> {
  await using beside = await openAppBeside(env)
  const ref = () => randomUUID()
  const { statements, status, body } = await beside.record(
    '/v1/projects/default/connections:generate',
    {
      'x-api-key': apiKey,
    },
    () => ({
      key: ref(),
      body: {
        groupRef: ref(),
        consumerRef: ref(),
        provider: 'benchCrm',
        apiKey: 'bench',
        providerMetadata: { url: providerUrl, pages: '1' },
      },
    }),
  )
  if (status !== 201) throw new Error(`The request was answered with ${status} ${JSON.stringify(body)}.`)
  return statements.map(({ text }) => text.replace(/\s+/g, ' ').trim())
}

if (import.meta.main) process.exitCode = (await runAlone(createConnections)) ? 0 : 1
