import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { TestTarget } from '../conformance.testkit.ts'
import { startHttpTarget, type TargetAnswer, type TargetRequest } from '../http-target.testkit.ts'

/** A warehouse for tests of its tables. */
export interface WarehouseTarget extends TestTarget {
  /**
   * The newest row of each record, in the order of groups and ids. Names of columns are in lower case. The namespace is
   * that of the settings by default.
   */
  rows(table: string, namespace?: string): Promise<Record<string, unknown>[]>
  /** The names of the columns of a table. */
  columns(table: string): Promise<string[]>
  /** Has the table refuse records with the text `bad`, for their data. */
  makeStrict(table: string): Promise<void>
  drop(table: string): Promise<void>
  /** Takes the permission to create tables in the namespace of the settings, and to create namespaces. */
  forbid(): Promise<void>
  /** The namespaces whose names begin with `crm_`, in any case, each with the names of its tables. */
  namespaces(): Promise<Record<string, string[]>>
  /** Creates a namespace in which the user may do everything. */
  createNamespace(name: string): Promise<void>
  dropNamespace(name: string): Promise<void>
  /** Drops the schema, the dataset or the database. */
  dropAll(): Promise<void>
  /** Ends the connection once, before a request is executed or before it is answered, counted from now. */
  cutAfter(count: number, what: 'sent' | 'answered'): void
  /** Whether the connection was ended since. */
  wasCut(): boolean
  /** Executes the request whose connection ended before that, as a server that was slow. */
  executeCut(): Promise<void>
  /** Repeats what is remembered of removed records, as a warehouse can that enforces no key. */
  repeatRemovals(table: string): Promise<void>
  /** All that is stored, with rows that a query of the user leaves out. */
  everything(): Promise<string>
}

/** What a warehouse that is played needs: a database that executes what its statements mean. */
export interface Played {
  settings(port: number): object
  secret: string
  failures: Record<string, TargetAnswer>
  /** See `startHttpTarget`. */
  tokenFailures?: Record<string, TargetAnswer>
  /** Statements that make a PostgreSQL take what the warehouse takes: its types and functions. */
  prepare: readonly string[]
  /** Schema of the tables, and the table of messages. */
  schema: string
  messages: string
  /** Answers a request. @throws Refused */
  answer(request: TargetRequest, database: PlayedDatabase): Promise<TargetAnswer>
}

export interface PlayedDatabase {
  run(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** Another connection, which `stop` ends. */
  connect(): Promise<pg.Client>
}

/** Whether an error is an answer of PostgreSQL, with its code and its message. */
export function isSqlError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

/**
 * Plays a warehouse over HTTP. Each kind checks the form of what it is sent, refuses anything else, and executes it in
 * a PostgreSQL: what tests find there is what the statements mean.
 */
export async function startWarehouseTarget(played: Played): Promise<WarehouseTarget> {
  const server = inject('postgres')
  const database = `kind_${randomBytes(8).toString('hex')}`
  const admin = new pg.Client({ ...server, user: 'postgres', database: 'postgres' })
  await admin.connect()
  await admin.query(`create database ${database} owner mortise_owner template template0`)
  const clients: pg.Client[] = []
  const connect = async () => {
    const client = new pg.Client({ ...server, user: 'mortise_owner', database })
    client.on('error', () => undefined)
    await client.connect()
    await client.query(`set search_path to "${played.schema}", public; set time zone 'UTC'`)
    clients.push(client)
    return client
  }
  const root = new pg.Client({ ...server, user: 'postgres', database })
  await root.connect()
  clients.push(root)
  const owner = await connect()
  await owner.query(`create schema if not exists "${played.schema}"`)
  for (const text of played.prepare) await owner.query(text)
  // A message with this text never fits.
  await owner.query(`create function refuse() returns trigger language plpgsql as $$
    begin if row_to_json(new)::text like '%"bad%' then raise 'value too long for type' using errcode = '22001'; end if; return new; end $$`)
  const run: PlayedDatabase['run'] = async (text, values = []) =>
    (await owner.query<Record<string, unknown>>(text, [...values])).rows
  let late: TargetRequest | undefined
  let cut: { count: number; what: 'sent' | 'answered' } | undefined
  const isCut = (what: 'sent' | 'answered') => {
    if (cut?.what !== what || cut.count-- > 0) return false
    cut = undefined
    return true
  }
  // Requests are executed one after the other, as the sender sends them.
  const target = await startHttpTarget({
    ...played,
    async answer(request) {
      if (isCut('sent')) {
        late = request
        return { status: 500, hangsUp: true }
      }
      const answered = await played.answer(request, { run, connect })
      return isCut('answered') ? { status: 500, hangsUp: true } : answered
    },
  })
  const keys = '_mortise_group, _mortise_id'
  const select = (table: string, namespace = played.schema) => `select * from "${namespace}"."${table}"`
  const lowered = (row: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]))
  const columns = async (table: string) =>
    (await run('select column_name from information_schema.columns where table_name = $1', [table])).map(
      ({ column_name }) => String(column_name),
    )
  return {
    ...target,
    columns,
    async rows(table, namespace) {
      const rows = (await run(select(table, namespace))).map(lowered)
      const keyOf = (row: Record<string, unknown>) => keys.split(', ').map((name) => row[name])
      return rows.toSorted((a, b) => (JSON.stringify(keyOf(a)) < JSON.stringify(keyOf(b)) ? -1 : 1))
    },
    async makeStrict(table) {
      await run(refusing(`"${played.schema}"."${table}"`))
    },
    async drop(table) {
      await run(`drop table "${played.schema}"."${table}"`)
    },
    async namespaces() {
      const found = await run(`
        select nspname as name, coalesce(array_agg(relname order by relname) filter (where relname is not null), '{}')::text[] as tables
          from pg_namespace n left join pg_class c on c.relnamespace = n.oid and c.relkind = 'r'
         where nspname ilike 'crm\\_%' group by 1 order by nspname collate "C"`)
      return Object.fromEntries(found.map(({ name, tables }) => [String(name), tables as string[]]))
    },
    async createNamespace(name) {
      await root.query(`create schema "${name}"; grant usage, create on schema "${name}" to mortise_owner`)
    },
    async dropNamespace(name) {
      await root.query(`drop schema "${name}" cascade`)
    },
    async forbid() {
      await root.query(`alter database ${database} owner to postgres`)
      await root.query(`alter schema "${played.schema}" owner to postgres`)
      await root.query(`grant usage on schema "${played.schema}" to mortise_owner`)
    },
    async dropAll() {
      await root.query(`drop schema "${played.schema}" cascade`)
    },
    async received() {
      if ((await columns(played.messages)).length === 0) return []
      const rows = (await run(select(played.messages))).map(lowered)
      const textOf = (body: unknown) => JSON.stringify(typeof body === 'string' ? JSON.parse(body) : body)
      return rows
        .map(({ id, body }) => ({ id: String(id), body: textOf(body), headers: {} }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },
    cutAfter(count, what) {
      cut = { count, what }
    },
    wasCut: () => cut === undefined,
    async executeCut() {
      if (late) await played.answer(late, { run, connect })
      late = undefined
    },
    async repeatRemovals() {
      const removals = await run(
        "select oid::regclass::text as name, (select conname from pg_constraint where conrelid = c.oid and contype = 'p') as key from pg_class c where lower(relname) = '_mortise_deleted'",
      )
      for (const { name, key } of removals) {
        if (key !== null) await run(`alter table ${name} drop constraint "${key}"`)
        // The columns are the record, the message and its time. One copy is of an older message.
        await run(`insert into ${name} table ${name}`)
        await run(
          `insert into ${name} select d.r, '${'0'.repeat(8)}' || substr(d.m, 9), d.t from (select distinct * from ${name}) as d(r, m, t)`,
        )
      }
    },
    async everything() {
      const tables = await run(
        "select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') and table_schema not like 'pg_temp%'",
      )
      const rows = await Promise.all(tables.map(({ name }) => run(`select * from ${name}`)))
      return JSON.stringify(rows)
    },
    async stop() {
      await target.stop()
      for (const client of clients) await client.end()
      await admin.query(`drop database ${database} with (force)`)
      await admin.end()
    },
  }
}

/** Has PostgreSQL refuse messages and records whose text is `bad`, once the table is there. */
export function refusing(table: string): string {
  return `create or replace trigger refuse before insert or update on ${table} for each row execute function refuse()`
}

/** Makes the only function of every warehouse that PostgreSQL does not have. */
export const parseJson =
  'create function parse_json(j text, wide_number_mode text default null) returns jsonb language sql as $$ select j::jsonb $$'
