import type { Connection } from 'mysql2/promise'
import { createTimeOf } from '../message-time.ts'
import type { RecordRow } from '../tables/rows.ts'
import type { KeyedRow, Removal, Removals } from '../tables/table-database.ts'
import { ownTables } from './find-faults.ts'
import { type Insertion, key, keyOf, timeText } from './merge.ts'
import { tableName } from './table-place.ts'

/** Rows that one statement removes, and keys that it looks up. */
const [removedMax, keysMax] = [64, 512]
/** Removals that one statement forgets. */
const forgottenMax = 10_000

/** The key of the row that transactions lock: no record has it. */
const lockedKey = ''

interface Statements {
  insert(insertion: Insertion): Promise<void>
}

/**
 * Removes rows in the tables of a database. The lock is a row of the table of removals: a transaction has it until its
 * end, and can share it, which is not so with a named lock. Reads that lock see what others have committed meanwhile.
 */
export class MysqlRemovals implements Removals {
  readonly locksBefore = 'rows'
  readonly forgetsWithRemovals = false
  readonly #client: Connection
  readonly #database: string | undefined
  readonly #table: string
  readonly #insert: Statements['insert']

  /** @param options.database undefined for that of the connection */
  constructor(client: Connection, { database, insert }: { database: string | undefined } & Statements) {
    this.#client = client
    this.#database = database
    this.#table = tableName({ database, table: ownTables.removals })
    this.#insert = insert
  }

  async prepare(): Promise<void> {
    if (!(await this.exist())) await this.#client.query(createRemovals(this.#table))
    const [rows] = await this.#client.execute(`select 1 from ${this.#table} where record = ?`, [lockedKey])
    if ((rows as object[]).length > 0) return
    const row = [lockedKey, '', '9999-12-31 00:00:00']
    await this.#client.execute(`insert ignore into ${this.#table} (record, message, deleted_at) values (?, ?, ?)`, row)
  }

  async exist(): Promise<boolean> {
    const [rows] = await this.#client.execute(
      `select 1 from information_schema.tables where table_schema = coalesce(?, database()) and table_name = ?`,
      [this.#database ?? null, ownTables.removals],
    )
    return (rows as object[]).length > 0
  }

  async lock(mode: 'shared' | 'exclusive'): Promise<void> {
    const how = mode === 'shared' ? 'lock in share mode' : 'for update'
    await this.#client.execute(`select 1 from ${this.#table} where record = ? ${how}`, [lockedKey])
  }

  async find(records: readonly KeyedRow[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    const keys = records.map(({ key: record }) => record)
    for (const part of powersOfTwo(keys, keysMax)) {
      const [rows] = await this.#client.execute(findRemovals(this.#table, part.length), [...part])
      for (const { record, message } of rows as { record: string; message: string }[]) found.set(record, message)
    }
    return found
  }

  async remove(table: string, rows: readonly RecordRow[]): Promise<void> {
    const name = tableName({ database: this.#database, table })
    for (const part of powersOfTwo(rows, removedMax))
      await this.#client.execute(
        removeRecords(name, part.length),
        part.flatMap((row) => [...keyOf(row), row.message]),
      )
  }

  remember(removals: readonly Removal[]): Promise<void> {
    return this.#insert(rememberRemovals(this.#table, removals))
  }

  async forget(before: Date): Promise<void> {
    await this.#client.execute(forgetRemovals(this.#table), [timeText(before), lockedKey])
  }
}

function createRemovals(table: string): string {
  const text = (length: number) => `char(${length}) character set ascii collate ascii_bin`
  return `create table if not exists ${table} (record ${text(64)} primary key, message ${text(36)} not null,
    deleted_at datetime(6) not null, key (deleted_at)) engine = InnoDB row_format = dynamic`
}

export function findRemovals(table: string, count: number): string {
  const marks = Array.from({ length: count }, () => '?').join(', ')
  return `select record, message from ${table} where record in (${marks}) lock in share mode`
}

export function forgetRemovals(table: string): string {
  return `delete from ${table} where deleted_at < ? and record <> ? order by deleted_at limit ${forgottenMax}`
}

/** The condition of each row is its whole key, so only these rows are read and locked. */
export function removeRecords(table: string, count: number): string {
  const one = `(${key.map((name) => `${name} = ?`).join(' and ')} and _mortise_message < ?)`
  return `delete from ${table} where ${Array.from({ length: count }, () => one).join(' or ')}`
}

export function rememberRemovals(table: string, removals: readonly Removal[]): Insertion {
  const updated = ['deleted_at', 'message'].map(
    (name) => `${name} = if(message < values(message), values(${name}), ${name})`,
  )
  return {
    start: `insert into ${table} (record, message, deleted_at)`,
    width: 3,
    end: `on duplicate key update ${updated.join(', ')}`,
    rows: removals.map(({ key: record, message }) => [record, message, timeText(createTimeOf({ id: message }))]),
  }
}

/** Splits a list into parts of powers of two: few different statements are prepared, each once. */
function powersOfTwo<T>(list: readonly T[], countMax: number): T[][] {
  const parts: T[][] = []
  for (let at = 0; at < list.length; ) {
    let count = countMax
    while (at + count > list.length) count /= 2
    parts.push(list.slice(at, at + count))
    at += count
  }
  return parts
}
