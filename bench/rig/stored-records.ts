import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { recordKey } from '../../packages/server/src/features/messaging/records/content.ts'
import { pageQuery } from '../../packages/server/src/features/messaging/records/list-store.ts'
import { listRecordStores } from '../../packages/server/src/features/messaging/records/store.ts'
import { median, rounded } from '../measure/statistics.ts'
import type { BareHandlers } from './bare-handlers.ts'
import { install, prepare } from './bench-crm.ts'
import { poolSize, startBenchServer } from './bench-database.ts'
import { databaseCosts } from './database-costs.ts'
import type { Load, Loaded } from './load.ts'
import { type Part, startPart } from './part.ts'
import type { PlainRows } from './plain-rows.ts'
import { recordsPerPage } from './record-size.ts'
import { startService } from './service.ts'
import { statementOf } from './statement-of.ts'

/** Rows of one statement of the loop: about those that the service stores in a transaction. */
const batchRows = 1_600
const connections = 10
const pollMs = 10
const patienceMs = 120_000

export interface StoredSizes {
  rounds: number
  pages: number
  roundMs: number
}

export interface StoredTimes {
  write: { ratio: number; perSecond: { service: number[]; plain: number[] }; cpuMicroseconds: number }
  pages: {
    ratio: number
    perSecond: { service: number[]; bare: number[] }
    /** Of a page, the medians. */
    cpuMicroseconds: { service: PageCpu; bare: PageCpu }
    recordsPerPage: number
  }
}

/** Processor time in microseconds. */
interface PageCpu {
  node: number
  postgres: number
}

/**
 * Times what a destination of type `records` does, in alternating rounds. Backfills run beside a loop that writes the
 * same rows to a table with the same columns and indexes. Pages of the API are asked of the service and of a bare
 * handler, which sends the statements of the endpoint and answers the same.
 */
export async function timeStoredRecords(
  folder: string,
  { rounds, pages, roundMs }: StoredSizes,
  say: (line: string) => void,
): Promise<StoredTimes> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startBenchServer(folder))
  const { address, superuser, env } = await server.database('records')
  const provider = stack.use(await startPart('./provider.ts', { args: ['--distinct'] }))
  const plain = stack.use(await startPart('./plain-rows.ts', { execArgv: ['--expose-gc'] }))
  const service = stack.use(await startService(folder, env))
  const client = new pg.Client({ ...superuser, options: '-c search_path=mortise' })
  await client.connect()
  stack.defer(() => client.end())
  const providerUrl = await provider.ask<string>('url')
  const integrationId = await prepare(service, { type: 'records', metadata: {} })
  await client.query('create table plain_records (like records including all)')

  const backfill = async (name: string) => {
    await client.query('truncate records')
    const records = pages * recordsPerPage
    const cpuMs = await service.cpuMs()
    const began = performance.now()
    await install(service, { integrationId, groupRef: name, providerUrl, pages })
    await untilStored(client, records)
    const seconds = (performance.now() - began) / 1_000
    return { perSecond: records / seconds, cpuMicroseconds: (((await service.cpuMs()) - cpuMs) * 1_000) / records }
  }
  const copy = async () => {
    await client.query('truncate plain_records')
    const url = `postgres://postgres@localhost:${superuser.port}/${superuser.database}?host=${encodeURIComponent(address.host)}`
    const [source, table] = ['mortise.records', 'mortise.plain_records']
    const options: PlainRows = { type: 'postgres', url, source, table, batchRows }
    const { rows, ms } = await plain.ask<{ rows: number; ms: number }>('run', options)
    return rows / (ms / 1_000)
  }

  await backfill('warm-up')
  await copy()
  const written = { service: [] as number[], plain: [] as number[], cpu: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const through = await backfill(`customer-${round}`)
    written.service.push(Math.round(through.perSecond))
    written.cpu.push(through.cpuMicroseconds)
    written.plain.push(Math.round(await copy()))
    say(`write, round ${round + 1}: ${written.service.at(-1)}/s; COPY of the same rows ${written.plain.at(-1)}/s`)
  }

  const { id: projectId } = await service.call<{ id: string }>('GET', '')
  const path = `/records/contacts?pageSize=${recordsPerPage}`
  const body = await service.call<{ results: unknown[] }>('GET', path)
  const { rows: stores } = await client.query<{ id: string }>('select id from record_stores')
  const filter = { storeId: stores[0]?.id ?? '', objectName: 'contacts', includeDeleted: true, after: 0 }
  const statements = [
    { ...(await statementOf(address, projectId, listRecordStores)), system: false },
    {
      ...(await statementOf(address, projectId, (db) => pageQuery(db, filter, recordsPerPage).execute(db.sql))),
      system: false,
    },
  ]
  const bare = stack.use(await startPart('./bare-handlers.ts'))
  const handlers = { listRecords: { statements, body } }
  const bareUrl = await bare.ask<string>('start', { address, projectId, poolSize, handlers } satisfies BareHandlers)
  const load = stack.use(await startPart('./load.ts'))
  const whole = { url: `${service.url}/v1/projects/default${path}`, headers: { 'x-api-key': service.apiKey } }
  const least = { url: `${bareUrl}/listRecords`, headers: {} }
  const sides = {
    service: { asked: whole, cpuMs: () => service.cpuMs() },
    bare: { asked: least, cpuMs: () => bare.ask<number>('cpuMs') },
  }
  const asked = await timePages({ sides, load, superuser, rounds, roundMs, say })
  const { cpu, ...perSecond } = written
  return {
    write: {
      ratio: rounded(median(perSecond.service) / median(perSecond.plain)),
      perSecond,
      cpuMicroseconds: rounded(median(cpu), 1),
    },
    pages: { ...asked, recordsPerPage: body.results.length },
  }
}

interface Pages {
  sides: Record<'service' | 'bare', { asked: Pick<Load, 'url' | 'headers'>; cpuMs: () => Promise<number> }>
  load: Part
  superuser: pg.ClientConfig
  rounds: number
  roundMs: number
  say: (line: string) => void
}

/** Asks both sides in alternating rounds, after one that counts for nothing. */
async function timePages({ sides, load, superuser, rounds, roundMs, say }: Pages) {
  const perSecond = { service: [] as number[], bare: [] as number[] }
  const cpu = { service: [] as PageCpu[], bare: [] as PageCpu[] }
  for (let round = 0; round <= rounds; round++)
    for (const name of ['service', 'bare'] as const) {
      const { asked, cpuMs } = sides[name]
      const spent = async () => ({ node: await cpuMs(), postgres: (await databaseCosts(superuser)).cpuMs })
      const before = await spent()
      const loaded = await load.ask<Loaded>('run', { ...asked, connections, ms: roundMs } satisfies Load)
      const after = await spent()
      if (round === 0) continue
      const ofPage = (kind: keyof PageCpu) => ((after[kind] - before[kind]) * 1_000) / loaded.requests
      const page = { node: ofPage('node'), postgres: ofPage('postgres') }
      perSecond[name].push(Math.round(loaded.perSecond))
      cpu[name].push(page)
      say(
        `pages, round ${round}: ${name} ${loaded.perSecond.toFixed(0)}/s, ${page.node.toFixed(0)} µs of Node and ${page.postgres.toFixed(0)} µs of PostgreSQL`,
      )
    }
  return {
    ratio: rounded(median(perSecond.service) / median(perSecond.bare)),
    perSecond,
    cpuMicroseconds: { service: medianOf(cpu.service), bare: medianOf(cpu.bare) },
  }
}

function medianOf(cpu: readonly PageCpu[]): PageCpu {
  return {
    node: Math.round(median(cpu.map(({ node }) => node))),
    postgres: Math.round(median(cpu.map(({ postgres }) => postgres))),
  }
}

/** Waits for the last record, and then for all: counting them again and again takes a core, which the service lacks. */
async function untilStored(client: pg.Client, records: number): Promise<void> {
  const until = performance.now() + patienceMs
  const untilTrue = async (condition: string, value: unknown) => {
    while ((await client.query(`select where ${condition}`, [value])).rowCount === 0) {
      if (performance.now() > until) throw new Error('not all records were stored')
      await delay(pollMs)
    }
  }
  const last = recordKey({ object: 'contacts', workspace: '', id: `con_${String(records - 1).padStart(8, '0')}` })
  await untilTrue(`exists (select from records where record_key = decode($1, 'hex'))`, last)
  await untilTrue('(select count(*) from records) >= $1', records)
}
