import { randomBytes } from 'node:crypto'
import { startHttpTarget, type TargetAnswer, type TargetRequest } from '../http-target.testkit.ts'
import type { WarehouseTarget } from '../warehouse-tables/warehouse-target.testkit.ts'
import { startChdb } from './chdb.testkit.ts'
import { type Engine, FakeEngine } from './fake-engine.testkit.ts'

const password = 'pass word-7Äx'
export const tablesMetadata = {
  username: 'mortise',
  database: 'crm',
  layout: 'tables',
  deletes: 'soft',
  batchSize: 2,
  maxWaitSecs: 30,
}
export const tablesSecret = password

const error = (status: number, code: number, name: string): TargetAnswer => ({
  status,
  headers: { 'x-clickhouse-exception-code': String(code) },
  body: `Code: ${code}. DB::Exception: It failed. (${name}) (version 26.7.2.1)\n`,
})

export const tablesFailures = {
  'has no such database': error(404, 81, 'UNKNOWN_DATABASE'),
  'may not': error(403, 497, 'ACCESS_DENIED'),
  'confirms another query': { status: 200, headers: { 'x-clickhouse-query-id': 'other' } },
  'merges too slowly': error(500, 252, 'TOO_MANY_PARTS'),
}

const expected: Record<string, string> = {
  date_time_input_format: 'best_effort',
  insert_deduplicate: '0',
  async_insert: '0',
  max_query_size: '1048576',
  wait_end_of_query: '1',
}

/** Answers over HTTP what an engine executes. */
async function answer({ method, path, headers, body }: TargetRequest, engine: Engine): Promise<TargetAnswer> {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const { query_id: queryId, default_format: format = 'CSV', ...others } = Object.fromEntries(searchParams)
  if (headers['authorization'] !== `Basic ${Buffer.from(`mortise:${password}`).toString('base64')}`)
    return error(403, 516, 'AUTHENTICATION_FAILED')
  const isKnown = method === 'POST' && pathname === '/' && JSON.stringify(others) === JSON.stringify(expected)
  if (!isKnown || !queryId) return error(404, 115, 'UNKNOWN_SETTING')
  try {
    const text = await engine.execute(body.toString(), format)
    return { status: 200, headers: { 'x-clickhouse-query-id': queryId }, body: text }
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : ''
    const [, code] = /Code: (\d+)\. DB::Exception/.exec(message) ?? []
    if (code === undefined) throw cause
    return { status: 500, headers: { 'x-clickhouse-exception-code': code }, body: message }
  }
}

type Maybe<T> = T | Promise<T>

interface Inside {
  engine: Engine
  database: string
  rows(table: string, database?: string): Maybe<Record<string, unknown>[]>
  columns(table: string): Maybe<string[]>
  makeStrict(table: string): Maybe<unknown>
  drop(table: string): Maybe<unknown>
  forbid(): Maybe<unknown>
  dropAll(): Maybe<unknown>
  namespaces(): Maybe<Record<string, string[]>>
  createNamespace(name: string): Maybe<unknown>
  dropNamespace(name: string): Maybe<unknown>
  repeatRemovals(table: string): Maybe<unknown>
  everything(): Maybe<string>
  stop?(): Promise<void>
}

async function start({ engine, database, ...inside }: Inside): Promise<WarehouseTarget> {
  let late: TargetRequest | undefined
  let cut: { count: number; what: 'sent' | 'answered' } | undefined
  const isCut = (what: 'sent' | 'answered') => {
    if (cut?.what !== what || cut.count-- > 0) return false
    cut = undefined
    return true
  }
  const target = await startHttpTarget({
    settings: (port) => ({ ...tablesMetadata, database, url: `http://127.0.0.1:${port}/`, password }),
    secret: password,
    failures: tablesFailures,
    async answer(request) {
      if (isCut('sent')) {
        late = request
        return { status: 500, hangsUp: true }
      }
      const answered = await answer(request, engine)
      return isCut('answered') ? { status: 500, hangsUp: true } : answered
    },
  })
  const inOrder = (rows: Record<string, unknown>[], ...names: string[]) => {
    const keyOf = (row: Record<string, unknown>) => JSON.stringify(names.map((name) => row[name]))
    return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  }
  return {
    ...target,
    rows: async (table, namespace) => inOrder(await inside.rows(table, namespace), '_mortise_group', '_mortise_id'),
    namespaces: async () => inside.namespaces(),
    createNamespace: async (name) => void (await inside.createNamespace(name)),
    dropNamespace: async (name) => void (await inside.dropNamespace(name)),
    columns: async (table) => inside.columns(table),
    makeStrict: async (table) => void (await inside.makeStrict(table)),
    drop: async (table) => void (await inside.drop(table)),
    forbid: async () => void (await inside.forbid()),
    dropAll: async () => void (await inside.dropAll()),
    async received() {
      if ((await inside.columns('_mortise_messages')).length === 0) return []
      return inOrder(await inside.rows('_mortise_messages'), 'id').map(({ id, body }) => ({
        id: String(id),
        body: String(body),
        headers: {},
      }))
    },
    async stop() {
      await target.stop()
      await inside.stop?.()
    },
    cutAfter(count, what) {
      cut = { count, what }
    },
    wasCut: () => cut === undefined,
    async executeCut() {
      if (late) await answer(late, engine)
      late = undefined
    },
    repeatRemovals: async (table) => void (await inside.repeatRemovals(table)),
    everything: async () => inside.everything(),
  }
}

/** Starts a server that plays ClickHouse, for tables. Messages with the text `bad` never fit. */
export function startClickHouseTables(): Promise<WarehouseTarget> {
  const engine = new FakeEngine('crm')
  engine.strict.add('_mortise_messages')
  return start({
    engine,
    database: 'crm',
    rows: (table, database = 'crm') =>
      engine.databases.get(database)?.has(table) ? engine.final(database, table) : [],
    columns: (table) => (engine.databases.get('crm')?.get(table)?.columns ?? []).map(({ name }) => name),
    makeStrict: (table) => engine.strict.add(table),
    drop: (table) => engine.databases.get('crm')?.delete(table),
    forbid: () => {
      engine.forbidden.add('crm')
      engine.mayCreateDatabases = false
    },
    dropAll: () => engine.databases.delete('crm'),
    namespaces: () =>
      Object.fromEntries(
        [...engine.databases]
          .filter(([name]) => /^crm_/i.test(name))
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([name, tables]) => [name, [...tables.keys()].toSorted()]),
      ),
    createNamespace: (name) => engine.databases.set(name, new Map()),
    dropNamespace: (name) => engine.databases.delete(name),
    repeatRemovals: (table) => engine.repeatRemovals('crm', table),
    everything: () =>
      JSON.stringify([...engine.databases.values()].flatMap((tables) => [...tables.values()].map(({ rows }) => rows))),
  })
}

/** Starts a server with a real ClickHouse behind it. */
export async function startChdbTables(): Promise<WarehouseTarget> {
  const engine = startChdb()
  const database = `kind_${randomBytes(8).toString('hex')}`
  await engine.query(
    "SET date_time_input_format = 'best_effort', insert_deduplicate = 0, async_insert = 0, max_query_size = 1048576",
    'CSV',
  )
  await engine.query(`create database ${database}`, 'CSV')
  const read = async (statement: string) =>
    (await engine.query(statement, 'JSONEachRow'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const columns = async (table: string) => {
    const found = await read(
      `select name from system.columns where database = '${database}' and table = '${table}' order by position`,
    )
    return found.map(({ name }) => String(name))
  }
  return start({
    engine,
    database,
    rows: (table, other = database) => read(`select * from ${other}.${table} final`),
    columns,
    makeStrict: (table) =>
      engine.query(
        `alter table ${database}.${table} add constraint fits check not startsWith(ifNull(email, ''), 'bad')`,
        'CSV',
      ),
    drop: (table) => engine.query(`drop table ${database}.${table}`, 'CSV'),
    forbid: () => undefined,
    dropAll: () => engine.query(`drop database ${database}`, 'CSV'),
    async namespaces() {
      const found = await read("select name from system.databases where name ilike 'crm\\_%' order by name")
      const tables = await read("select database, name from system.tables where database ilike 'crm\\_%' order by name")
      return Object.fromEntries(
        found.map(({ name }) => [
          String(name),
          tables.filter((one) => one['database'] === name).map((one) => String(one['name'])),
        ]),
      )
    },
    createNamespace: (name) => engine.query(`create database ${name}`, 'CSV'),
    dropNamespace: (name) => engine.query(`drop database ${name}`, 'CSV'),
    repeatRemovals: (table) =>
      engine.query(
        `insert into ${database}.${table} select * from ${database}.${table} where _mortise_removed = 1`,
        'CSV',
      ),
    async everything() {
      const tables = await read(`select name from system.tables where database = '${database}'`)
      const rows = []
      for (const { name } of tables) rows.push(await read(`select * from ${database}.\`${String(name)}\``))
      return JSON.stringify(rows)
    },
    stop: () => engine.stop(),
  })
}
