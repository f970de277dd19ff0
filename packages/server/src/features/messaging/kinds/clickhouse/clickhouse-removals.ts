import { partsOf } from '../in-parts.ts'
import type { Columns } from '../tables/columns.ts'
import { cleanText } from '../tables/json-text.ts'
import type { RecordRow } from '../tables/rows.ts'
import type { KeyedRow } from '../tables/table-database.ts'
import { keyColumns, stagedParts, timeOf, timeText } from '../warehouse-tables/staged-rows.ts'
import type { WarehouseRemovals } from '../warehouse-tables/table-warehouse.ts'
import { literal, versionOf } from './clickhouse-text.ts'

/** The column that says of a row that its record was removed: 1 or 0. */
export const removedColumn = '_mortise_removed'

/** Keys of one statement, which contains them. */
const keyBytesMax = 100_000
const insertionBytesMax = 4 * 2 ** 20

interface Statements {
  removesRecords: boolean
  /** The quoted name of the table of an object. */
  target(table: string): string
  /** Executes a statement. Rows of an insertion follow it. */
  execute(statement: string, rows?: readonly string[]): Promise<void>
  rows(statement: string): Promise<string[][]>
}

/**
 * Removes rows by a row without values, which replaces all older ones of its key, and then deletes these. So an older
 * message has no effect, also if its insertion is executed late: no lock and no second table is needed. `FINAL` leaves
 * such rows out where the engine of the table knows their column.
 */
export class ClickHouseRemovals implements WarehouseRemovals {
  readonly #statements: Statements
  /** Tables from which rows were removed. */
  readonly #changed = new Set<string>()

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Rows say themselves what is newer, so without removals there is nothing to take into account. */
  async exist(): Promise<boolean> {
    return false
  }

  async prepare(): Promise<void> {
    // Each table has a column.
  }

  async prepareTable(table: string, columns: Columns): Promise<void> {
    const { removesRecords, target, execute } = this.#statements
    if (removesRecords && !columns.has(removedColumn))
      await execute(`ALTER TABLE ${target(table)} ADD COLUMN IF NOT EXISTS ${removedColumn} UInt8`)
  }

  /** Without it, values of older messages would be stored, although no query with `FINAL` shows them. */
  async find(records: readonly KeyedRow[]): Promise<ReadonlyMap<string, string>> {
    const { target, rows: read } = this.#statements
    const found = new Map<string, string>()
    for (const [table, ofTable] of Map.groupBy(records, ({ row }) => row.table)) {
      const keys = new Map(ofTable.map(({ key, row }) => [JSON.stringify(keyOf(row)), key]))
      for (const part of inStatements(ofTable.map(({ row }) => row))) {
        const names = keyNames.join(', ')
        const removed = await read(
          `SELECT ${names}, toString(argMax(_mortise_message, _mortise_version)) FROM ${target(table)} WHERE ${removedColumn} = 1 AND ${isOneOf(part)} GROUP BY ${names}`,
        )
        for (const [group, provider, workspace, id, message = ''] of removed) {
          const key = keys.get(JSON.stringify([group, provider, workspace, id]))
          if (key !== undefined) found.set(key, message)
        }
      }
    }
    return found
  }

  async remember(): Promise<void> {
    // The rows that remove others are remembered.
  }

  async remove(table: string, rows: readonly RecordRow[]): Promise<void> {
    const { target, execute } = this.#statements
    const names = [...keyNames, '_mortise_message', '_mortise_version', '_mortise_read_at', '_mortise_deleted_at']
    const insertion = `INSERT INTO ${target(table)} (${[...names, removedColumn].join(', ')}) FORMAT JSONEachRow`
    for (const part of stagedParts(rows.map(emptied), { bytesMax: insertionBytesMax })) await execute(insertion, part)
    for (const part of inStatements(rows)) {
      // A number of this size in a statement would be a float.
      const older = [...Map.groupBy(part, ({ message }) => message)].map(
        ([message, some]) => `(_mortise_version < toUInt128('${versionOf(message)}') AND ${isOneOf(some)})`,
      )
      await execute(`DELETE FROM ${target(table)} WHERE ${older.join(' OR ')}`)
    }
    this.#changed.add(table)
  }

  async forget(before: Date): Promise<void> {
    const { target, execute, rows } = this.#statements
    for (const table of this.#changed) {
      const condition = `${removedColumn} = 1 AND _mortise_read_at < parseDateTime64BestEffort('${timeText(before)}', 3)`
      const [count] = await rows(`SELECT count() FROM ${target(table)} WHERE ${condition}`)
      if (count?.[0] !== '0') await execute(`DELETE FROM ${target(table)} WHERE ${condition}`)
    }
  }
}

const keyNames = keyColumns.map(([name]) => name)

function keyOf({ group, provider, workspace, id }: RecordRow): string[] {
  return [group, provider, workspace, id].map(cleanText)
}

/** A row that has nothing but its key and its message. */
function emptied(row: RecordRow): Record<string, unknown> {
  const time = timeOf(row.message)
  return {
    ...Object.fromEntries(keyOf(row).map((text, index) => [keyNames[index] ?? '', text])),
    _mortise_message: row.message,
    _mortise_version: versionOf(row.message),
    _mortise_read_at: time,
    _mortise_deleted_at: time,
    [removedColumn]: 1,
  }
}

/** Rows in parts whose keys fit a statement. */
function inStatements(rows: readonly RecordRow[]): RecordRow[][] {
  const sized = rows.map((row) => ({ row, bytes: Buffer.byteLength(literals(row)) + keyBytes }))
  return partsOf(sized, { bytesMax: keyBytesMax, countMax: rows.length }).map((part) => part.map(({ row }) => row))
}

/** What surrounds a key, if each has a separate message. */
const keyBytes = 200

function isOneOf(rows: readonly RecordRow[]): string {
  return `(${keyNames.join(', ')}) IN (${rows.map(literals).join(', ')})`
}

function literals(row: RecordRow): string {
  return `(${keyOf(row).map(literal).join(', ')})`
}
