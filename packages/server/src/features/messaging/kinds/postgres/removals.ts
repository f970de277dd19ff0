import type { Client } from 'pg'
import { createTimeOf } from '../message-time.ts'
import { cleanText } from '../tables/json-text.ts'
import type { RecordRow } from '../tables/rows.ts'
import type { KeyedRow, Removal, Removals } from '../tables/table-database.ts'
import { quoted } from './table.ts'

const removalsTable = '_mortise_deleted'

/** Returns the quoted name of the table that remembers removed records. */
export function removalsIn(schema: string): string {
  return `${schema}.${quoted(removalsTable)}`
}

/** Removals that one statement forgets. */
const forgottenMax = 10_000

/** Removes rows in the tables of a schema. */
export class PostgresRemovals implements Removals {
  readonly locksBefore = 'tables'
  readonly forgetsWithRemovals = false
  readonly #client: Client
  readonly #schema: string
  readonly #table: string

  /** @param schema quoted */
  constructor(client: Client, schema: string) {
    this.#client = client
    this.#schema = schema
    this.#table = removalsIn(schema)
  }

  async prepare(): Promise<void> {
    if (await this.exist()) return
    await this.#client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`mortise ${this.#table}`])
    if (!(await this.exist())) await createRemovals(this.#client, this.#table)
  }

  async exist(): Promise<boolean> {
    return (await this.#client.query('select where to_regclass($1) is not null', [this.#table])).rows.length > 0
  }

  async lock(mode: 'shared' | 'exclusive'): Promise<void> {
    const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
    await this.#client.query(`select ${lock}(hashtextextended($1, 0))`, [`removals of mortise ${this.#table}`])
  }

  async find(records: readonly KeyedRow[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#client.query<Removal>(
      `select record as key, message from ${this.#table} where record = any($1)`,
      [records.map(({ key }) => key)],
    )
    return new Map(rows.map(({ key, message }) => [key, message]))
  }

  remove(table: string, rows: readonly RecordRow[]): Promise<void> {
    return removeRecords(this.#client, `${this.#schema}.${quoted(table)}`, rows)
  }

  remember(removals: readonly Removal[]): Promise<void> {
    return rememberRemovals(this.#client, this.#table, removals)
  }

  async forget(before: Date): Promise<void> {
    await this.#client.query(
      `delete from ${this.#table} where record in (
         select record from ${this.#table} where deleted_at < $1 order by deleted_at limit ${forgottenMax})`,
      [before],
    )
  }
}

export async function createRemovals(client: Client, table: string): Promise<void> {
  await client.query(`create table ${table} (record text primary key, message uuid not null, deleted_at timestamptz not null);
    create index on ${table} (deleted_at)`)
}

export async function removeRecords(client: Client, table: string, rows: readonly RecordRow[]): Promise<void> {
  const texts = (of: (row: RecordRow) => string) => rows.map((row) => cleanText(of(row)))
  await client.query(
    `delete from ${table} as t using unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[]) as r(g, p, w, id, m)
      where t._mortise_group = r.g and t._mortise_provider = r.p and t._mortise_workspace = r.w and t._mortise_id = r.id
        and t._mortise_message < r.m`,
    [
      texts(({ group }) => group),
      texts(({ provider }) => provider),
      texts(({ workspace }) => workspace),
      texts(({ id }) => id),
      rows.map(({ message }) => message),
    ],
  )
}

export async function rememberRemovals(client: Client, table: string, removals: readonly Removal[]): Promise<void> {
  await client.query(
    `insert into ${table} as t (record, message, deleted_at)
     select * from unnest($1::text[], $2::uuid[], $3::timestamptz[])
     on conflict (record) do update set message = excluded.message, deleted_at = excluded.deleted_at
      where t.message < excluded.message`,
    [
      removals.map(({ key }) => key),
      removals.map(({ message }) => message),
      removals.map(({ message }) => createTimeOf({ id: message })),
    ],
  )
}
