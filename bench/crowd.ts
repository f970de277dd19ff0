import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Benchmark, runAlone } from './benchmark.ts'
import { median, quantile, rounded } from './measure/statistics.ts'
import { install, prepare } from './rig/bench-crm.ts'
import { startBenchServer } from './rig/bench-database.ts'
import { insertCustomers } from './rig/customers.ts'
import { first } from './rig/first.ts'
import { insertWaiting } from './rig/insert-waiting.ts'
import { type Part, startPart } from './rig/part.ts'
import { recordsPerPage } from './rig/record-size.ts'
import { startService } from './rig/service.ts'
import { fullOrShort } from './rig/short.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

/** Each is read once in a phase, and each read finds records. */
const customers = fullOrShort(1_500, 50)
const phaseMs = fullOrShort(40_000, 3_000)
const waiting = fullOrShort(1_000_000, 2_000)
/** Before the first customer of a phase is due. */
const leadMs = 2_000
/** After the last one is due. */
const patienceMs = 120_000

type Phase = 'quiet' | 'messages' | 'records'

/**
 * From the moment at which a customer's object is due until its records reach the destination: while nothing else
 * happens, while one customer has a million messages at the same destination, and while a million records of one
 * customer's backfill are read. The phases alternate. The messages are delivered meanwhile, as fast as the service can.
 */
export const crowd: Benchmark = {
  name: 'crowd',
  measures:
    'p99 of the lag of customers while one customer has 1,000,000 messages or records that wait ÷ while nothing waits',
  goal: { most: 1.2 },
  async run(say) {
    await using folder = await temporaryFolder()
    await using server = await startBenchServer(folder.path)
    const database = await server.database('crowd')
    await using provider = await startPart('./poll-provider.ts')
    await using pages = await startPart('./provider.ts')
    await using receiver = await startPart('./lag-receiver.ts')
    await using other = await startPart('./receiver.ts')
    await using service = await startService(folder.path, database.env)
    await provider.ask('foundEvery', 1)
    const [providerUrl, receiverUrl] = [await provider.ask<string>('url'), await receiver.ask<string>('url')]
    await insertCustomers(service, database, { count: customers, providerUrl, receiverUrl, destination: 'polled' })
    const integrationId = await prepare(service, await other.ask<string>('url'))
    const client = new pg.Client({ ...database.superuser, options: '-c search_path=mortise' })
    await client.connect()
    try {
      const begin: Record<Phase, (round: number) => Promise<void>> = {
        quiet: async () => undefined,
        messages: () => insertWaiting(client, { destinationName: 'polled', count: waiting }),
        records: async (round) =>
          install(service, {
            integrationId,
            groupRef: `crowd-${round}`,
            providerUrl: await pages.ask<string>('url'),
            pages: waiting / recordsPerPage,
          }),
      }
      const lags: Record<Phase, number[]> = { quiet: [], messages: [], records: [] }
      await phase(client, receiver)
      for (const [round, kind] of (['quiet', 'messages', 'quiet', 'records', 'quiet'] as const).entries()) {
        await begin[kind](round)
        const { p50, p99 } = await phase(client, receiver)
        lags[kind].push(p99)
        say(
          `${kind}: p50 ${p50} ms, p99 ${p99} ms; ${await receiver.ask<number>('messages')} messages arrived meanwhile`,
        )
        await end(client)
      }
      const quiet = median(lags.quiet)
      const ratios = { messages: median(lags.messages) / quiet, records: median(lags.records) / quiet }
      return {
        value: Math.max(ratios.messages, ratios.records),
        details: {
          customers,
          waiting,
          p99Ms: lags,
          ratios: { messages: rounded(ratios.messages), records: rounded(ratios.records) },
        },
      }
    } finally {
      await client.end()
    }
  },
}

/** Makes each customer due once, and returns how long their records were on their way, in milliseconds. */
async function phase(client: pg.Client, receiver: Part): Promise<{ p50: number; p99: number }> {
  await receiver.ask('clear')
  const { rows } = await client.query<{ installation_id: string; due: string }>(
    `update read_states s
        set next_run_at = now() + ($1::float8 + random() * $2::float8) * interval '1 ms'
       from installations i, integrations g
      where i.id = s.installation_id and g.id = i.integration_id and g.name = 'polls'
     returning s.installation_id, (extract(epoch from s.next_run_at) * 1000)::text as due`,
    [leadMs, phaseMs],
  )
  await delay(leadMs + phaseMs)
  const until = performance.now() + patienceMs
  let arrivals = await receiver.ask<Map<string, number>>('arrivals')
  const missing = () => rows.filter(({ installation_id: id }) => !arrivals.has(id)).length
  while (missing() > 0) {
    if (performance.now() > until) throw new Error(`${missing()} of ${rows.length} customers have received nothing`)
    await delay(250)
    arrivals = await receiver.ask('arrivals')
  }
  const lags = rows
    .map(({ installation_id: id, due }) => (arrivals.get(id) ?? 0) - Number(due))
    .toSorted((a, b) => a - b)
  return { p50: rounded(quantile(lags, 0.5), 0), p99: rounded(quantile(lags, 0.99), 0) }
}

/** Removes what still waits, and lets the service settle. */
async function end(client: pg.Client): Promise<void> {
  await client.query(`update read_states s set paused = 'request' from installations i, integrations g
    where i.id = s.installation_id and g.id = i.integration_id and g.name <> 'polls'`)
  await client.query(`delete from messages where state = 'pending' and lease_token is null`)
  let open = 1
  while (open > 0) {
    await delay(1_000)
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from messages where state = 'pending'`,
    )
    open = first(rows).count
  }
  await client.query('vacuum analyze messages')
  await client.query('checkpoint')
}

if (import.meta.main) process.exitCode = (await runAlone(crowd)) ? 0 : 1
