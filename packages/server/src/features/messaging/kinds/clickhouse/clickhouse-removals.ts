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
/** Removals that one statement looks for to forget them. An answer with the keys of so many is small enough. */
const forgottenMax = 200
/** What is left then waits for the next removal of another run: each round takes three statements or more. */
const roundsMax = 5
const insertionBytesMax = 4 * 2 ** 20

interface Database {
  removesRecords: boolean
  /** The quoted name of the table of an object. */
  target(table: string): string
  insert(table: string, columns: readonly string[], rows: readonly string[]): Promise<void>
  execute(statement: string): Promise<void>
  rows(statement: string): Promise<string[][]>
}

/**
 * Removes rows by a row without values, which replaces all older ones of its key, and then deletes these. So an older
 * message has no effect, also if its insertion is executed late: no lock and no second table is needed. `FINAL` leaves
 * such rows out where the engine of the table knows their column.
 */
export class ClickHouseRemovals implements WarehouseRemovals {
  readonly #database: Database
  /** Tables from which rows were removed. */
  readonly #changed = new Set<string>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Rows say themselves what is newer, so without removals there is nothing to take into account. */
  async exist(): Promise<boolean> {
    return false
  }

  async prepare(): Promise<void> {
    // Each table has a column.
  }

  async prepareTable(table: string, columns: Columns): Promise<void> {
    const { removesRecords, target, execute } = this.#database
    if (removesRecords && !columns.has(removedColumn))
      await execute(`ALTER TABLE ${target(table)} ADD COLUMN IF NOT EXISTS ${removedColumn} UInt8`)
  }

  /** Without it, values of older messages would be stored, although no query with `FINAL` shows them. */
  async find(records: readonly KeyedRow[]): Promise<ReadonlyMap<string, string>> {
    const { target, rows: read } = this.#database
    const found = new Map<string, string>()
    for (const [table, ofTable] of Map.groupBy(records, ({ row }) => row.table)) {
      const keys = new Map(ofTable.map(({ key, row }) => [JSON.stringify(keyOf(row)), key]))
      for (const part of inStatements(ofTable.map(({ row }) => removalOf(row)))) {
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
    const own = ['_mortise_message', '_mortise_version', '_mortise_read_at', '_mortise_deleted_at', removedColumn]
    for (const part of stagedParts(rows.map(emptied), { bytesMax: insertionBytesMax }))
      await this.#database.insert(table, [...keyNames, ...own], part)
    await this.#deleteOlder(table, rows.map(removalOf))
    this.#changed.add(table)
  }

  /**
   * Forgets removals in tables from which rows were removed. A row under an empty one would be the newest without it:
   * one that a late statement wrote, that was stored with `soft`, or whose deletion failed. So such rows are deleted
   * before.
   */
  async forget(before: Date): Promise<void> {
    const { target, execute } = this.#database
    const isOld = `${removedColumn} = 1 AND _mortise_read_at < parseDateTime64BestEffort('${timeText(before)}', 3)`
    for (const table of this.#changed) {
      for (let round = 0; round < roundsMax; round++) {
        const old = await this.#findOld(table, isOld)
        await this.#deleteOlder(table, old)
        for (const part of inStatements(old))
          await execute(`DELETE FROM ${target(table)} WHERE ${isOld} AND ${isOneOf(part)}`)
        if (old.length < forgottenMax) break
      }
    }
  }

  /** Finds some old removals, the newest of each record: in the order of the table, so that ClickHouse reads few. */
  async #findOld(table: string, isOld: string): Promise<Removal[]> {
    const { target, rows: read } = this.#database
    const found = await read(
      `SELECT ${names}, toString(_mortise_message) FROM ${target(table)} WHERE ${isOld} ORDER BY ${names}, _mortise_version DESC LIMIT 1 BY ${names} LIMIT ${forgottenMax}`,
    )
    return found.map((texts) => ({ key: texts.slice(0, -1), message: texts.at(-1) ?? '' }))
  }

  /** Deletes the rows that removals outdate. One of the same message is a mark, from before a change to `hard`. */
  async #deleteOlder(table: string, removals: readonly Removal[]): Promise<void> {
    const { target, execute } = this.#database
    for (const part of inStatements(removals)) {
      // A number of this size in a statement would be a float.
      const older = [...Map.groupBy(part, ({ message }) => message)].map(
        ([message, some]) =>
          `(_mortise_version <= toUInt128('${versionOf(message)}') AND ${removedColumn} = 0 AND ${isOneOf(some)})`,
      )
      await execute(`DELETE FROM ${target(table)} WHERE ${older.join(' OR ')}`)
    }
  }
}

/** The removal of a record, by the columns of its key. */
interface Removal {
  key: readonly string[]
  message: string
}

const keyNames = keyColumns.map(([name]) => name)
const names = keyNames.join(', ')

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

function removalOf(row: RecordRow): Removal {
  return { key: keyOf(row), message: row.message }
}

/** Removals in parts whose keys fit a statement. */
function inStatements(removals: readonly Removal[]): Removal[][] {
  const sized = removals.map((removal) => ({ removal, bytes: Buffer.byteLength(literals(removal)) + keyBytes }))
  return partsOf(sized, { bytesMax: keyBytesMax, countMax: removals.length }).map((part) =>
    part.map(({ removal }) => removal),
  )
}

/** What surrounds a key, if each has a separate message. */
const keyBytes = 200

function isOneOf(removals: readonly Removal[]): string {
  return `(${names}) IN (${removals.map(literals).join(', ')})`
}

function literals({ key }: Removal): string {
  return `(${key.map(literal).join(', ')})`
}
