import pg from 'pg'
import { expect, test } from 'vitest'
import { install, prepare } from '../bench/rig/bench-crm.ts'
import { startPart } from '../bench/rig/part.ts'
import { databaseEnv } from '../bench/rig/postgres.ts'
import { recordsPerPage } from '../bench/rig/record-size.ts'
import { startService } from '../bench/rig/service.ts'
import { findStock, noStock, startStock } from '../bench/rig/stock-postgres.ts'
import { temporaryFolder } from '../bench/rig/temporary-folder.ts'

const pages = 20

/** Even the cheapest statement would be compiled, and PostgreSQL counts what was. */
const settings = {
  jit_above_cost: '0',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
}

test('no statement of the service is compiled by a stock PostgreSQL that would compile all', async (context) => {
  const stock = await findStock()
  if (!stock) return context.skip(noStock)
  await using folder = await temporaryFolder()
  const server = await startStock(folder.path, settings)
  await using _ = { [Symbol.asyncDispose]: () => server.stop() }
  const env = await databaseEnv(server)
  const superuser = new pg.Client({ host: server.host, port: server.port, user: 'postgres', database: 'mortise' })
  await superuser.connect()
  await using __ = { [Symbol.asyncDispose]: () => superuser.end() }

  const { rows: compiling } = await superuser.query<{ works: boolean }>('select pg_jit_available() as works')
  if (!compiling[0]?.works) return context.skip(`The stock PostgreSQL ${stock.version} cannot compile statements.`)
  const { rows: plan } = await superuser.query('explain (analyze, format json) select count(*) from pg_class')
  expect(JSON.stringify(plan)).toContain('"JIT"')
  await superuser.query('create extension pg_stat_statements')

  await using provider = await startPart('./provider.ts')
  await using receiver = await startPart('./receiver.ts')
  await using service = await startService(folder.path, env)
  const integrationId = await prepare(service, await receiver.ask<string>('url'))
  const arrived = receiver.ask('reached', pages * recordsPerPage)
  await install(service, { integrationId, groupRef: 'acme', providerUrl: await provider.ask<string>('url'), pages })
  await arrived

  const { rows: statements } = await superuser.query<{ query: string; compiled: number }>(
    `select query, jit_functions::int as compiled from pg_stat_statements
      where userid in (select oid from pg_roles where rolname like 'mortise%')`,
  )
  expect(statements.some(({ query }) => query.includes('update messages'))).toBe(true)
  expect(statements.filter(({ compiled }) => compiled > 0)).toEqual([])
})
