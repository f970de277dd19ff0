import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { emptied, secret, subscribe } from './inbound.ts'
import { rounded } from './measure/statistics.ts'
import { install, prepare } from './rig/bench-crm.ts'
import { type BenchDatabase, startBenchServer } from './rig/bench-database.ts'
import { insertCustomers } from './rig/customers.ts'
import { type DatabaseCosts, databaseCosts } from './rig/database-costs.ts'
import type { InboundLoad, InboundLoaded } from './rig/inbound-load.ts'
import type { Load, Loaded } from './rig/load.ts'
import { startPart } from './rig/part.ts'
import { installProxied } from './rig/proxied-integration.ts'
import type { Received } from './rig/receiver.ts'
import { recordsPerPage } from './rig/record-size.ts'
import { type Service, startService } from './rig/service.ts'
import { temporaryFolder } from './rig/temporary-folder.ts'

/**
 * What one unit of each kind of work costs: processor time of the service and of PostgreSQL, transactions, bytes on
 * disk and in the log of PostgreSQL. Not a ratio: the basis of the estimates in docs/scaling.md. Prints a table.
 */

const customers = 20_000
const readsMs = 20_000
const pages = 1_000
const loadMs = 8_000

interface Unit {
  name: string
  count: number
  serviceMs: number
  database: DatabaseCosts
}

const units: Unit[] = []
await using folder = await temporaryFolder()
await using server = await startBenchServer(folder.path)
await using polled = await startPart('./poll-provider.ts')
await using provider = await startPart('./provider.ts')
await using proxied = await startPart('./proxied-provider.ts')
await using receiver = await startPart('./receiver.ts')
const receiverUrl = await receiver.ask<string>('url')

await withService('reads', async (service, database) => {
  const before = await databaseCosts(database.superuser)
  await insertCustomers(service, database, {
    count: customers,
    providerUrl: await polled.ask<string>('url'),
    receiverUrl,
  })
  units.push({
    name: 'an idle installation',
    count: customers,
    serviceMs: 0,
    database: minus(await databaseCosts(database.superuser), before),
  })
  await polled.ask('foundEvery', Number.MAX_SAFE_INTEGER)
  await measure('a scheduled read that finds nothing', service, database, async () => {
    const client = new pg.Client({ ...database.superuser, options: '-c search_path=mortise' })
    await client.connect()
    const requests = await polled.ask<number>('requests')
    await client.query(`update read_states set next_run_at = now() - interval '1 minute'`)
    await delay(readsMs)
    await client.query(`update read_states set next_run_at = now() + interval '1 day' where fence is null`)
    await client.end()
    await emptied(service)
    return (await polled.ask<number>('requests')) - requests
  })
})

await withService('records', async (service, database) => {
  const providerUrl = await provider.ask<string>('url')
  const integrationId = await prepare(service, receiverUrl)
  const backfill = async (groupRef: string) => {
    await receiver.ask('clear')
    const arrived = receiver.ask<Received>('reached', pages * recordsPerPage)
    await install(service, { integrationId, groupRef, providerUrl, pages })
    await arrived
    await emptied(service)
    return pages * recordsPerPage
  }
  await backfill('warm-up')
  await measure('a record of a backfill, 100 in a message', service, database, () => backfill('measured'))
})

await withService('proxy', async (service, database) => {
  const headers = await installProxied(service, await proxied.ask<string>('url'))
  await using load = await startPart('./load.ts')
  const ask = () =>
    load.ask<Loaded>('run', { url: `${service.url}/proxy/things`, headers, connections: 16, ms: loadMs } satisfies Load)
  await ask()
  await measure('a proxied request', service, database, async () => (await ask()).requests)
})

await withService('inbound', async (service, database) => {
  const url = await subscribe(service)
  await using load = await startPart('./inbound-load.ts', { execArgv: ['--expose-gc'] })
  const send = async () => {
    const { sent } = await load.ask<InboundLoaded>('run', {
      url,
      secret,
      connections: 256,
      ms: loadMs,
    } satisfies InboundLoad)
    await emptied(service)
    return sent
  }
  await send()
  await measure('an event of a provider, with its message', service, database, send)
})

console.table(units.map(row))

/** Runs a service on a database of its own. */
async function withService(name: string, work: (service: Service, database: BenchDatabase) => Promise<void>) {
  const database = await server.database(name)
  await using service = await startService(`${folder.path}/${name}`, database.env)
  await work(service, database)
}

async function measure(name: string, service: Service, { superuser }: BenchDatabase, work: () => Promise<number>) {
  const [cpuMs, before] = [await service.cpuMs(), await databaseCosts(superuser)]
  const count = await work()
  const after = await databaseCosts(superuser)
  units.push({ name, count, serviceMs: (await service.cpuMs()) - cpuMs, database: minus(after, before) })
}

function minus(after: DatabaseCosts, before: DatabaseCosts): DatabaseCosts {
  return {
    cpuMs: after.cpuMs - before.cpuMs,
    transactions: after.transactions - before.transactions,
    logBytes: after.logBytes - before.logBytes,
    diskBytes: after.diskBytes - before.diskBytes,
  }
}

function row({ name, count, serviceMs, database }: Unit) {
  return {
    unit: name,
    count,
    'service ms': rounded(serviceMs / count, 4),
    'PostgreSQL ms': rounded(database.cpuMs / count, 4),
    transactions: rounded(database.transactions / count, 4),
    'bytes on disk': Math.round(database.diskBytes / count),
    'bytes of log': Math.round(database.logBytes / count),
  }
}
