import { groupPlaceholder } from '../group-ref.ts'
import { type HttpAnswer, notDelivered } from '../http-calls.ts'
import type { SendResult } from '../kind.ts'
import type { Column, Columns, StoredType } from '../tables/columns.ts'
import { hashedName, type RecordRow, valueAt } from '../tables/rows.ts'
import type { KeptMessage } from '../tables/table-database.ts'
import { columnComment, type NewColumn, readColumnComment } from '../warehouse-tables/column-comment.ts'
import { isByGroup, namespaceWithoutGroup } from '../warehouse-tables/namespace.ts'
import { type ColumnRules, notOurs } from '../warehouse-tables/place-values.ts'
import {
  keyColumns,
  type StagedColumn,
  type StagedRow,
  stagedColumns,
  stagedMark,
  stagedMessage,
  stagedParts,
  stagedRecord,
} from '../warehouse-tables/staged-rows.ts'
import type { TableWarehouse, WarehouseRemovals } from '../warehouse-tables/table-warehouse.ts'
import { WarehouseError } from '../warehouse-tables/warehouse-error.ts'
import { ClickHouseRemovals, removedColumn } from './clickhouse-removals.ts'
import { NotConfirmed, type Statements } from './clickhouse-statements.ts'
import { literal, quoted, versioned } from './clickhouse-text.ts'
import { refusalOf } from './refusal.ts'
import type { ClickHouseSettings } from './settings.ts'

const columnTypes: Record<StoredType, string> = {
  boolean: 'Nullable(Bool)',
  integer: 'Nullable(Int64)',
  number: 'Nullable(Float64)',
  date: 'Nullable(Date32)',
  datetime: "Nullable(DateTime64(6, 'UTC'))",
  text: 'Nullable(String)',
  json: 'Nullable(String)',
}

/** Settings of statements about tables of records. */
export const tableSettings = {
  date_time_input_format: 'best_effort',
  // An id that another insertion had, and rows that come again, are for the version to decide.
  insert_deduplicate: 0,
  async_insert: 0,
  // A mark names all columns of its table.
  max_query_size: '1048576',
  // The status is that of the end, not of the beginning.
  wait_end_of_query: 1,
} as const

const insertionBytesMax = 4 * 2 ** 20
/** Marks of one statement, which contains them. */
const markBytesMax = 100_000

/** The columns of staged rows, and of the table. */
const ownColumns = [
  ...keyColumns,
  ['_mortise_installation', 'v_installation'],
  ['_mortise_message', 'v_message'],
  ['_mortise_version', 'v_version'],
  ['_mortise_read_at', 'v_read_at'],
  ['_mortise_deleted_at', 'v_deleted_at'],
] as const

const markStructure =
  "k_group String, k_provider String, k_workspace String, k_id String, v_installation Nullable(String), v_message UUID, v_version UInt128, v_read_at DateTime64(3, \\'UTC\\'), v_deleted_at Nullable(DateTime64(3, \\'UTC\\'))"

/** A dot is of a nested column, and control characters are more likely a mistake. */
function nameOf(field: string): string {
  const plain = notOurs(field.replaceAll(/[.`\\\p{Cc}]/gu, '_'))
  return plain === field ? field : hashedName(plain, field)
}

/** The years that `Date32` and `DateTime64` have. */
const storableYear = /^(?:19\d\d|20\d\d|21\d\d|22[0-8]\d)/

/**
 * Tables of records in a database of ClickHouse. A row has the id of its message as a version, and `FINAL` reads the
 * newest row of each key: so a row is only inserted, and nothing depends on the order.
 */
export class ClickHouseTables implements TableWarehouse {
  readonly rules: ColumnRules = {
    nameOf,
    fold: (name) => name,
    fits: (type, value) => (type !== 'date' && type !== 'datetime') || storableYear.test(String(value)),
    columnsMax: 1_200,
  }
  readonly #settings: ClickHouseSettings
  readonly #statements: Statements
  readonly #time: Date
  readonly removals: WarehouseRemovals

  constructor(settings: ClickHouseSettings, statements: Statements, time: Date) {
    this.#settings = settings
    this.#statements = statements
    this.#time = time
    this.removals = new ClickHouseRemovals({
      removesRecords: settings.deletes === 'hard',
      target: (table) => this.#target(table),
      insert: (table, columns, rows) => this.#insert(table, columns, rows),
      execute: (statement) => this.#execute(statement),
      rows: (statement) => this.#rows(statement),
    })
  }

  typeOf({ stores }: NewColumn): string {
    return columnTypes[stores]
  }

  async loadColumns(table: string): Promise<Columns> {
    const rows = await this.#rows(
      `SELECT name, type, comment FROM system.columns WHERE database = ${this.#databaseText()} AND table = ${literal(table)} ORDER BY position`,
    )
    return new Map(rows.map(([name = '', type = '', comment]) => [name, columnOf(type, comment)]))
  }

  async createNamespace(): Promise<void> {
    const { database } = this.#settings
    if (database !== undefined && !(await this.#isThere()))
      await this.#execute(`CREATE DATABASE IF NOT EXISTS ${quoted(database)}`)
  }

  async createTable(table: string): Promise<void> {
    const own = [
      ...['_mortise_group String', '_mortise_provider LowCardinality(String)', '_mortise_workspace String'],
      ...['_mortise_id String', '_mortise_installation Nullable(String)', '_mortise_message UUID'],
      ...['_mortise_version UInt128', "_mortise_read_at DateTime64(3, 'UTC')"],
      ...["_mortise_deleted_at Nullable(DateTime64(3, 'UTC'))", '_mortise_raw Nullable(String)'],
    ]
    const key = keyColumns.map(([name]) => name).join(', ')
    const isHard = this.#settings.deletes === 'hard'
    const columns = isHard ? [...own, `${removedColumn} UInt8`] : own
    const version = isHard ? `_mortise_version, ${removedColumn}` : '_mortise_version'
    await this.#execute(
      `CREATE TABLE IF NOT EXISTS ${this.#target(table)} (${columns.join(', ')}) ENGINE = ReplacingMergeTree(${version}) ORDER BY (${key})`,
    )
  }

  async addColumns(table: string, columns: ReadonlyMap<string, NewColumn>): Promise<void> {
    const added = [...columns].map(
      ([name, column]) =>
        `ADD COLUMN IF NOT EXISTS ${quoted(name)} ${columnTypes[column.stores]} COMMENT '${columnComment(column)}'`,
    )
    await this.#execute(`ALTER TABLE ${this.#target(table)} ${added.join(', ')}`)
  }

  async createMessages(): Promise<void> {
    await this.#execute(
      `CREATE TABLE IF NOT EXISTS ${this.#target(messagesTable)} (id UUID, kind LowCardinality(String), event_type Nullable(String), created_at DateTime64(3, 'UTC'), body String) ENGINE = ReplacingMergeTree ORDER BY id`,
    )
  }

  async mergeRecords(table: string, columns: Columns, rows: readonly RecordRow[]): Promise<void> {
    const written = stagedColumns(columns, rows)
    const names = new Map<string, string>([
      ...ownColumns.map(([name, key]) => [key, name] as const),
      ['v_raw', '_mortise_raw'],
      ...written.map(({ name, key }) => [key, name] as const),
    ])
    const texts = rows.map((row) => renamed(withNative(versioned(stagedRecord(row, written)), row, written), names))
    const inserted = [...names.values()].map(quoted)
    for (const part of stagedParts(texts, { bytesMax: insertionBytesMax })) await this.#insert(table, inserted, part)
  }

  /** A row replaces the other as a whole: a mark takes what the newest row has, in the statement that inserts it. */
  async markRecords(table: string, columns: Columns, rows: readonly RecordRow[]): Promise<void> {
    const target = this.#target(table)
    const marked = new Set<string>([...ownColumns.map(([name]) => name), removedColumn])
    const kept = [...columns.keys()].filter((name) => !marked.has(name)).map(quoted)
    const names = [...ownColumns.map(([name]) => name), ...kept].join(', ')
    const values = [...ownColumns.map(([, key]) => `m.${key}`), ...kept.map((name) => `t.${name}`)].join(', ')
    const isSame = keyColumns.map(([name, key]) => `m.${key} = t.${name}`).join(' AND ')
    const key = keyColumns.map(([name]) => name).join(', ')
    for (const part of stagedParts(rows.map(stagedMark).map(versioned), { bytesMax: markBytesMax })) {
      const keys = part.map((text) => {
        const row = JSON.parse(text) as StagedRow
        return `(${keyColumns.map(([, name]) => literal(row[name] ?? '')).join(', ')})`
      })
      const found = `SELECT ${[key, ...kept].join(', ')} FROM ${target} FINAL WHERE (${key}) IN (${keys.join(', ')})`
      const staged = `format(JSONEachRow, '${markStructure}', ${literal(part.join('\n'))})`
      await this.#execute(
        `INSERT INTO ${target} (${names}) SELECT ${values} FROM ${staged} AS m LEFT ANY JOIN (${found}) AS t ON ${isSame} SETTINGS join_use_nulls = 1`,
      )
    }
  }

  async insertMessages(messages: readonly KeptMessage[]): Promise<void> {
    const names = new Map([
      ['k_id', 'id'],
      ['v_kind', 'kind'],
      ['v_event_type', 'event_type'],
      ['v_created_at', 'created_at'],
      ['v_body', 'body'],
    ])
    const rows = messages.map((message) => renamed(stagedMessage(message), names))
    for (const part of stagedParts(rows, { bytesMax: insertionBytesMax }))
      await this.#insert(messagesTable, [...names.values()], part)
  }

  async check(): Promise<SendResult> {
    const { database } = this.#settings
    if (isByGroup(database)) {
      const created = namespaceWithoutGroup(database)
      if (await this.#hasGrant(`CREATE DATABASE, ${this.#grants()}`, `${quoted(created)}.*`))
        return { outcome: 'delivered', status: 200 }
      const start = database.replace(groupPlaceholder, '')
      return {
        outcome: 'retry',
        error: `The user needs CREATE DATABASE, ${this.#grants(' and ')} on all databases whose names begin with ${start}.`,
      }
    }
    const shown = database ?? 'of the user'
    if (!(await this.#isThere()))
      return { outcome: 'retry', error: `The server shows no database ${shown} to the user.` }
    if (await this.#hasGrant(this.#grants(), database === undefined ? '*' : `${quoted(database)}.*`))
      return { outcome: 'delivered', status: 200 }
    return { outcome: 'retry', error: `The user needs ${this.#grants(' and ')} on the database ${shown}.` }
  }

  #grants(last = ', '): string {
    const needed = ['CREATE TABLE', 'ALTER ADD COLUMN', 'INSERT', 'SELECT']
    const all = this.#settings.deletes === 'hard' ? ['ALTER DELETE', ...needed] : needed
    return `${all.slice(0, -1).join(', ')}${last}${all.at(-1)}`
  }

  /** Whether the server shows the database to the user. */
  async #isThere(): Promise<boolean> {
    const [found] = await this.#rows(`SELECT count() FROM system.databases WHERE name = ${this.#databaseText()}`)
    return found?.[0] === '1'
  }

  async #hasGrant(privileges: string, target: string): Promise<boolean> {
    const [granted] = await this.#rows(`CHECK GRANT ${privileges} ON ${target}`).catch((error: unknown) => {
      // Servers before 24.11 cannot say what a user may do.
      if (error instanceof WarehouseError && error.isUnknownSyntax) return [['1']]
      throw error
    })
    return granted?.[0] === '1'
  }

  #databaseText(): string {
    const { database } = this.#settings
    return database === undefined ? 'currentDatabase()' : literal(database)
  }

  #target(table: string): string {
    const { database } = this.#settings
    return [database, table].flatMap((name) => (name === undefined ? [] : [quoted(name)])).join('.')
  }

  #insert(table: string, columns: readonly string[], rows: readonly string[]): Promise<void> {
    return this.#confirmed(this.#statements.insert(this.#target(table), rows, { columns }))
  }

  #execute(statement: string): Promise<void> {
    return this.#confirmed(this.#statements.execute(statement))
  }

  #rows(statement: string): Promise<string[][]> {
    return this.#confirmed(this.#statements.rows(statement))
  }

  /** @throws WarehouseError */
  async #confirmed<T>(sending: Promise<T>): Promise<T> {
    try {
      return await sending
    } catch (error) {
      throw error instanceof NotConfirmed ? this.#errorOf(error.answer) : error
    }
  }

  #errorOf(answer: HttpAnswer): WarehouseError {
    const url = new URL(this.#settings.url)
    if (answer.status === 200)
      return new WarehouseError(notDelivered(url, answer, this.#time, `${url.host} did not confirm the statement.`))
    const { name, result, isOfData } = refusalOf(url, answer, this.#time)
    const words = name === undefined ? undefined : reasons[name]
    const shown =
      words === undefined ? result : { ...result, error: `${url.host} answered ${answer.status} (${name}): ${words}.` }
    return new WarehouseError(shown, {
      isTransient: name === 'TABLE_ALREADY_EXISTS',
      isOfColumns: name !== undefined && ofColumns.has(name),
      isAboutData: isOfData && name !== undefined,
      isUnknownSyntax: name === 'SYNTAX_ERROR',
    })
  }
}

const messagesTable = '_mortise_messages'

const ofColumns = new Set([
  'NO_SUCH_COLUMN_IN_TABLE',
  'UNKNOWN_IDENTIFIER',
  'UNKNOWN_TABLE',
  'UNKNOWN_DATABASE',
  'TYPE_MISMATCH',
  'THERE_IS_NO_COLUMN',
])

/** What a person can correct, by name. */
const reasons: Record<string, string> = {
  ACCESS_DENIED: 'the user does not have the permission',
  AUTHENTICATION_FAILED: 'the user name or the password is wrong',
  READONLY: 'the user may only read',
  TOO_MANY_PARTS: 'the server still merges what was inserted before',
  UNKNOWN_DATABASE: 'there is no database of this name',
}

/** ClickHouse reads no text as a boolean. */
function withNative(staged: StagedRow, row: RecordRow, columns: readonly StagedColumn[]): Record<string, unknown> {
  const native = columns.flatMap(({ name, key, column }) => {
    const value = valueAt(row.values, name)
    const isNative = typeof value === 'boolean' && column.stores !== 'text' && column.stores !== 'json'
    return isNative ? [[key, value] as const] : []
  })
  return { ...staged, ...Object.fromEntries(native) }
}

function renamed(row: Record<string, unknown>, names: ReadonlyMap<string, string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [names.get(key) ?? key, value]))
}

/** Text and JSON have the same type: the comment tells them apart. */
function columnOf(type: string, comment: string | undefined): Column {
  const made = readColumnComment(comment)
  const stores = made !== undefined && columnTypes[made.stores] === type ? made.stores : undefined
  return { type, stores, isField: made !== undefined, ...(made && { field: made.field, isRest: made.isRest }) }
}
