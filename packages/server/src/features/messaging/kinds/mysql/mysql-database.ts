import { createHash } from 'node:crypto'
import type { Connection } from 'mysql2/promise'
import type { Columns, DeclaredTypes } from '../tables/columns.ts'
import { valuesOf } from '../tables/message-store.ts'
import type { RecordRow } from '../tables/rows.ts'
import type { KeptMessage, Refusal, TableDatabase } from '../tables/table-database.ts'
import { addColumns, columnsOf, createMessages, createTable, missing, quoted, withColumnNames } from './columns.ts'
import { ownTables } from './find-faults.ts'
import { type Insertion, keepOf, markOf, mergeOf, type Parameter } from './merge.ts'
import { isServerError, packetTooLarge, type ServerTraits } from './mysql-connection.ts'
import { meaningOf } from './refusal.ts'
import { MysqlRemovals } from './removals.ts'
import { type TablePlace, tableName } from './table-place.ts'

/**
 * The tables of a database, over one connection. A change of a table ends a transaction, so tables change first: each
 * change is whole or not there, and a change without rows does no harm.
 */
export class MysqlDatabase implements TableDatabase {
  readonly removals: MysqlRemovals
  readonly #client: Connection
  readonly #traits: ServerTraits
  readonly #shown: string
  /** The database, which is created when it does not exist; undefined for that of the connection. */
  readonly #database: string | undefined
  /** Tables without room for a further column. */
  readonly #full = new Set<string>()

  /**
   * @param options.shown host and port of the server, for people
   * @param options.database created when it does not exist; undefined for that of the connection
   */
  constructor(
    client: Connection,
    { traits, shown, database }: { traits: ServerTraits; shown: string; database: string | undefined },
  ) {
    this.#client = client
    this.#traits = traits
    this.#database = database
    this.#shown = shown
    this.removals = new MysqlRemovals(client, { database, insert: (insertion) => this.#insert(insertion) })
  }

  async begin(): Promise<void> {
    // Tables change first.
  }

  needsChange(columns: Columns, rows: readonly RecordRow[]): boolean {
    return missing(columns, valuesOf(withColumnNames(columns, rows)), new Map()).size > 0
  }

  async prepareTable(table: string, rows: readonly RecordRow[], declared: DeclaredTypes): Promise<Columns> {
    const columns = await this.#columns(table)
    if (columns.size > 0 && !this.#lacks(table, columns, rows, declared)) return columns
    return this.#withLock(table, async () => {
      if (columns.size === 0) await this.#prepareDatabase()
      await this.#client.query(createTable(this.#name(table), this.#traits))
      const before = await this.#columns(table)
      const needed = this.#lacks(table, before, rows, declared)
      if (!needed) return before
      try {
        await this.#client.query(addColumns(this.#name(table), before, needed))
      } catch (error) {
        // Too many columns, or too large a row: indexes of the user take room, too.
        if (!isServerError(error) || (error.errno !== 1117 && error.errno !== 1118)) throw error
        this.#full.add(table)
        return before
      }
      return this.#columns(table)
    })
  }

  async prepareMessages(): Promise<void> {
    await this.#prepareDatabase()
    await this.#client.query(createMessages(this.#name(ownTables.messages)))
  }

  async beginRows(): Promise<void> {
    await this.#client.query('start transaction')
  }

  mergeRecords(table: string, columns: Columns, rows: readonly RecordRow[]): Promise<void> {
    return this.#insert(mergeOf(this.#name(table), columns, withColumnNames(columns, rows)))
  }

  markRecords(table: string, rows: readonly RecordRow[]): Promise<void> {
    return this.#insert(markOf(this.#name(table), rows))
  }

  insertMessages(messages: readonly KeptMessage[]): Promise<void> {
    return this.#insert(keepOf(this.#name(ownTables.messages), messages))
  }

  async commit(): Promise<void> {
    await this.#client.query('commit')
  }

  async rollback(): Promise<void> {
    await this.#client.query('rollback')
  }

  refusalOf(error: unknown): Refusal | undefined {
    return isServerError(error) ? meaningOf(error, this.#shown) : undefined
  }

  #lacks(table: string, columns: Columns, rows: readonly RecordRow[], declared: DeclaredTypes) {
    const needed = missing(columns, valuesOf(withColumnNames(columns, rows)), declared)
    if (this.#full.has(table)) for (const name of needed.keys()) if (!columns.has(name)) needed.delete(name)
    return needed.size > 0 ? needed : undefined
  }

  #columns(table: string): Promise<Columns> {
    return loadColumns(this.#client, { database: this.#database, table })
  }

  /** A database that exists needs no further permission. */
  async #prepareDatabase(): Promise<void> {
    if (this.#database === undefined) return
    const [rows] = await this.#client.execute('select 1 from information_schema.schemata where schema_name = ?', [
      this.#database,
    ])
    if ((rows as object[]).length > 0) return
    await this.#client.query(`create database if not exists ${quoted(this.#database)} character set utf8mb4`)
  }

  #name(table: string): string {
    return tableName({ database: this.#database, table })
  }

  /** Two senders wait for each other. The lock ends with the connection. */
  async #withLock<T>(table: string, run: () => Promise<T>): Promise<T> {
    const name = `mortise ${createHash('sha256').update(this.#name(table)).digest('hex').slice(0, 40)}`
    await this.#client.query(`select get_lock('${name}', 10)`)
    try {
      return await run()
    } finally {
      await this.#client.query(`do release_lock('${name}')`).catch(() => undefined)
    }
  }

  /**
   * Inserts rows in statements that the server takes. Values never become text of a statement. The numbers of rows are
   * powers of two, so that few different statements are prepared, each once.
   */
  async #insert({ start, width, end, rows }: Insertion): Promise<void> {
    const row = `(${Array.from({ length: width }, () => '?').join(', ')})`
    const { packetBytesMax } = this.#traits
    if (rows.some((values) => bytesOf(values) > packetBytesMax)) throw packetTooLarge(packetBytesMax)
    const bytesMax = packetBytesMax / 2
    for (const part of partsOf(rows, bytesMax)) {
      const text = `${start} values ${part.map(() => row).join(', ')} ${end}`
      await this.#client.execute(text, part.flat())
    }
  }
}

/** Loads the columns of a table. Empty if there is none. */
export async function loadColumns(client: Connection, { database, table }: TablePlace): Promise<Columns> {
  const [rows] = await client.execute(
    `select column_name as name, column_type as type, column_comment as comment, extra
       from information_schema.columns
      where table_schema = coalesce(?, database()) and table_name = ? order by ordinal_position`,
    [database ?? null, table],
  )
  return columnsOf(rows as { name: string; type: string; comment: string; extra: string }[])
}

/** Rows of one statement at most. With 1,000 columns, these are fewer values than the 65,535 that a statement takes. */
const rowsMax = 64

/** Splits rows into parts of 64, 32, 16 … rows that have at most some bytes, except a row that exceeds them. */
function partsOf(rows: readonly Parameter[][], bytesMax: number): Parameter[][][] {
  const sizes = rows.map(bytesOf)
  const parts: Parameter[][][] = []
  for (let at = 0; at < rows.length; ) {
    let count = rowsMax
    while (count > 1 && (at + count > rows.length || sum(sizes.slice(at, at + count)) > bytesMax)) count /= 2
    parts.push(rows.slice(at, at + count))
    at += count
  }
  return parts
}

function bytesOf(values: readonly Parameter[]): number {
  return sum(values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 8) + 8))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
