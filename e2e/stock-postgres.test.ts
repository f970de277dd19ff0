import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { install, prepare } from '../bench/rig/bench-crm.ts'
import { timeDatabases } from '../bench/rig/databases.ts'
import { startPart } from '../bench/rig/part.ts'
import { findPgBouncer, noPgBouncer, startPgBouncer } from '../bench/rig/pgbouncer.ts'
import { databaseEnv, pooledEnv } from '../bench/rig/postgres.ts'
import { recordsPerPage } from '../bench/rig/record-size.ts'
import { startService } from '../bench/rig/service.ts'
import { type BenchPostgres, findAllStock, findStock, noStock, startStock } from '../bench/rig/stock-postgres.ts'
import { temporaryFolder } from '../bench/rig/temporary-folder.ts'

const pages = 20
/** With statements that are compiled, a backfill took ten times as long and more. The goal of the benchmark is 1.3. */
const ratioMost = 4

/** Even the cheapest statement would be compiled, and PostgreSQL counts what was. */
const settings = {
  jit_above_cost: '0',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
}

const stock = await findStock()
if (!stock && process.env['MORTISE_REQUIRE_STOCK_POSTGRES'] === '1') throw new Error(noStock)
if (!stock) console.warn(`Tests with a stock PostgreSQL are skipped. ${noStock}`)
const pgBouncer = await findPgBouncer()
if (!pgBouncer) console.warn(`Tests with a real PgBouncer are skipped. ${noPgBouncer}`)

interface Way {
  way: string
  /** Returns the settings of a service on a new database of the server. */
  env: (server: BenchPostgres, folder: string) => Promise<Record<string, string>>
}
const directly: Way = { way: 'directly', env: (server) => databaseEnv(server) }
const throughPgBouncer: Way = {
  way: 'through PgBouncer',
  env: async (server, folder) => {
    const direct = await databaseEnv(server)
    const pooler = await startPgBouncer(folder, server)
    onTestFinished(() => pooler.stop())
    return pooledEnv(direct, pooler)
  },
}

describe.skipIf(!stock)('on a stock PostgreSQL', () => {
  test.each(pgBouncer ? [directly, throughPgBouncer] : [directly])(
    'no statement of the service is compiled where all others would be, $way',
    async ({ env }) => {
      const folder = await temporaryFolder()
      onTestFinished(() => folder[Symbol.asyncDispose]())
      const server = await startStock(folder.path, settings)
      onTestFinished(() => server.stop())
      const serviceEnv = await env(server, folder.path)
      const superuser = new pg.Client({ host: server.host, port: server.port, user: 'postgres', database: 'mortise' })
      await superuser.connect()
      onTestFinished(() => superuser.end())

      const { rows: compiling } = await superuser.query<{ works: boolean }>('select pg_jit_available() as works')
      expect(compiling).toEqual([{ works: true }])
      const { rows: plan } = await superuser.query('explain (analyze, format json) select count(*) from pg_class')
      expect(JSON.stringify(plan)).toContain('"JIT"')
      await superuser.query('create extension pg_stat_statements')

      await using provider = await startPart('./provider.ts')
      await using receiver = await startPart('./receiver.ts')
      await using service = await startService(folder.path, serviceEnv)
      const integrationId = await prepare(service, await receiver.ask<string>('url'))
      const arrived = receiver.ask('reached', pages * recordsPerPage)
      await install(service, { integrationId, groupRef: 'acme', providerUrl: await provider.ask<string>('url'), pages })
      await arrived

      const { rows: statements } = await superuser.query<{ query: string; compiled: number }>(
        `select query, jit_functions::int as compiled from pg_stat_statements
          where userid in (select oid from pg_roles where rolname in ('mortise_app', 'mortise_system'))`,
      )
      expect(statements.some(({ query }) => query.includes('update messages'))).toBe(true)
      // The settings of a transaction are what turns JIT off behind a pooler.
      const others = statements.filter(({ query }) => !query.startsWith('select set_config('))
      expect(others.filter(({ compiled }) => compiled > 0)).toEqual([])
    },
  )

  const name = 'a backfill takes about as long as on the embedded one, of each version and through PgBouncer'
  test(name, { timeout: 240_000 }, async () => {
    await using folder = await temporaryFolder()
    const [embedded, ...others] = await timeDatabases(folder.path, { rounds: 3, pages: 100 }, () => undefined)
    const best = (ms: number[] | undefined) => Math.min(...(ms ?? []))
    const ratios = others.map(({ database, ms }) => ({ database, ratio: best(ms) / best(embedded?.ms) }))
    expect(ratios).toHaveLength((await findAllStock()).length + (pgBouncer ? 2 : 0))
    expect(ratios.filter(({ ratio }) => ratio > ratioMost)).toEqual([])
  })
})
