import { type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import type { SendResult } from '../kind.ts'
import type { Column, Columns, StoredType } from '../tables/columns.ts'
import type { RecordRow } from '../tables/rows.ts'
import type { KeptMessage } from '../tables/table-database.ts'
import { columnComment, type NewColumn, readColumnComment } from '../warehouse-tables/column-comment.ts'
import type { MergeDialect } from '../warehouse-tables/merge-statement.ts'
import { isByGroup } from '../warehouse-tables/namespace.ts'
import { type ColumnRules, plainName } from '../warehouse-tables/place-values.ts'
import { type RowMerger, rowMerger, type TableOf } from '../warehouse-tables/row-merger.ts'
import type { TableWarehouse, WarehouseRemovals, WriteOptions } from '../warehouse-tables/table-warehouse.ts'
import { WarehouseError } from '../warehouse-tables/warehouse-error.ts'
import { type SnowflakeSettings, statementsUrl } from './settings.ts'
import { handleOf, isExecuted, type Statements } from './statements.ts'

const columnTypes: Record<StoredType, string> = {
  boolean: 'BOOLEAN',
  integer: 'NUMBER(38,0)',
  number: 'FLOAT',
  date: 'DATE',
  datetime: 'TIMESTAMP_TZ',
  text: 'VARCHAR',
  json: 'VARIANT',
}

/** What types store, as the information schema writes them. */
const storedTypes: Record<string, StoredType> = {
  BOOLEAN: 'boolean',
  'NUMBER 0': 'integer',
  FLOAT: 'number',
  DATE: 'date',
  TIMESTAMP_TZ: 'datetime',
  TEXT: 'text',
  VARIANT: 'json',
}

/** Rows of one statement are one value, in a `VARIANT` of 16 MB at most. */
const stagedBytesMax = 4 * 2 ** 20

/** Names are in upper case, so that queries need no quotes. */
const upper = (name: string) => plainName(name).toUpperCase()
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const dialect: MergeDialect = {
  quoted,
  own: (name) => quoted(name.toUpperCase()),
  text: (key) => `r.value:${key}::VARCHAR`,
  converted: (text, { stores }) =>
    stores === 'json'
      ? `PARSE_JSON(${text})`
      : stores === undefined || stores === 'text'
        ? text
        : `${text}::${columnTypes[stores]}`,
  time: (text) => `${text}::TIMESTAMP_TZ`,
  json: (text) => `PARSE_JSON(${text})`,
  source: '(SELECT PARSE_JSON(?) AS staged) AS b, LATERAL FLATTEN(INPUT => b.staged) AS r',
}

/**
 * Tables of records in a schema of Snowflake. Rows are staged in the statement that merges them: the SQL API has no
 * files.
 */
export class SnowflakeTables implements TableWarehouse {
  readonly rules: ColumnRules = { nameOf: upper, fold: (name) => name, columnsMax: 1_200 }
  readonly #settings: SnowflakeSettings
  readonly #statements: Statements
  readonly #time: Date
  readonly #merger: RowMerger
  readonly removals: WarehouseRemovals

  constructor(settings: SnowflakeSettings, statements: Statements, time: Date) {
    this.#settings = settings
    this.#statements = statements
    this.#time = time
    this.#merger = rowMerger({
      dialect,
      stagedBytesMax,
      target: (table) => this.#target(table),
      run: (statement, rows) => this.#execute(statement, rows === undefined ? [] : [rows]),
    })
    this.removals = {
      ...this.#merger,
      exist: async () => (await this.#columnsOf(removalsTable)).size > 0,
      prepare: () => this.#createRemovals(),
    }
  }

  typeOf({ stores }: NewColumn): string {
    return columnTypes[stores]
  }

  loadColumns(table: string): Promise<Columns> {
    return this.#columnsOf(upper(table))
  }

  async #columnsOf(name: string): Promise<Columns> {
    const { dbName, schemaName } = this.#settings
    const rows = await this.#rows(
      `SELECT COLUMN_NAME, DATA_TYPE, NUMERIC_SCALE, COMMENT FROM ${dbName}.INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`,
      [nameOf(schemaName), name],
    )
    return new Map(rows.map(([column, type, scale, comment]) => [column ?? '', columnOf(type ?? '', scale, comment)]))
  }

  async createNamespace(): Promise<void> {
    const { dbName, schemaName } = this.#settings
    const [found] = await this.#rows(
      `SELECT COUNT(*) FROM ${dbName}.INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME = ?`,
      [nameOf(schemaName)],
    )
    if (found?.[0] === '0') await this.#execute(`CREATE SCHEMA IF NOT EXISTS ${dbName}.${schemaName}`)
  }

  async createTable(table: string): Promise<void> {
    const own = [
      ...['_MORTISE_GROUP', '_MORTISE_PROVIDER', '_MORTISE_WORKSPACE', '_MORTISE_ID'].map(
        (name) => `${name} VARCHAR NOT NULL`,
      ),
      ...[
        '_MORTISE_INSTALLATION VARCHAR',
        '_MORTISE_MESSAGE VARCHAR NOT NULL',
        '_MORTISE_READ_AT TIMESTAMP_TZ NOT NULL',
      ],
      ...['_MORTISE_DELETED_AT TIMESTAMP_TZ', '_MORTISE_RAW VARIANT'],
      'PRIMARY KEY (_MORTISE_GROUP, _MORTISE_PROVIDER, _MORTISE_WORKSPACE, _MORTISE_ID)',
    ]
    await this.#execute(`CREATE TABLE IF NOT EXISTS ${this.#target({ object: table })} (${own.join(', ')})`)
  }

  async addColumns(table: string, columns: ReadonlyMap<string, NewColumn>): Promise<void> {
    const added = [...columns].map(
      ([name, column]) => `${quoted(name)} ${columnTypes[column.stores]} COMMENT '${columnComment(column)}'`,
    )
    await this.#execute(`ALTER TABLE ${this.#target({ object: table })} ADD COLUMN ${added.join(', ')}`)
  }

  async createMessages(): Promise<void> {
    await this.#execute(
      `CREATE TABLE IF NOT EXISTS ${this.#target('messages')} (ID VARCHAR NOT NULL, KIND VARCHAR NOT NULL, EVENT_TYPE VARCHAR, CREATED_AT TIMESTAMP_TZ NOT NULL, BODY VARIANT NOT NULL, PRIMARY KEY (ID))`,
    )
  }

  mergeRecords(table: string, columns: Columns, rows: readonly RecordRow[], options: WriteOptions): Promise<void> {
    return this.#merger.mergeRecords(table, columns, rows, options)
  }

  markRecords(table: string, columns: Columns, rows: readonly RecordRow[], options: WriteOptions): Promise<void> {
    return this.#merger.markRecords(table, columns, rows, options)
  }

  insertMessages(messages: readonly KeptMessage[]): Promise<void> {
    return this.#merger.insertMessages(messages)
  }

  async check(): Promise<SendResult> {
    const { dbName, schemaName } = this.#settings
    if (isByGroup(schemaName)) return this.#checkDatabase()
    const found = await this.#rows(
      `SELECT COUNT(*), COUNT_IF(p.PRIVILEGE_TYPE IS NOT NULL), COUNT_IF(p.PRIVILEGE_TYPE IN ('CREATE TABLE', 'OWNERSHIP') AND IS_ROLE_IN_SESSION(p.GRANTEE)) FROM ${dbName}.INFORMATION_SCHEMA.SCHEMATA AS n LEFT JOIN ${dbName}.INFORMATION_SCHEMA.OBJECT_PRIVILEGES AS p ON p.OBJECT_TYPE = 'SCHEMA' AND p.OBJECT_NAME = n.SCHEMA_NAME WHERE n.SCHEMA_NAME = ?`,
      [nameOf(schemaName)],
    )
    const [schemas, known, usable] = (found[0] ?? []).map(Number)
    const url = statementsUrl(this.#settings)
    if (schemas === 0)
      return {
        outcome: 'retry',
        error: `${url.host} shows no schema ${dbName}.${schemaName} to the default role of the user.`,
      }
    // A role that does not see grants may have one all the same.
    if ((known ?? 0) > 0 && usable === 0)
      return {
        outcome: 'retry',
        error: `The default role of the user may not create tables in ${dbName}.${schemaName}.`,
      }
    return { outcome: 'delivered', status: 200 }
  }

  /** Whether the user may create schemas. The owner of a schema may create its tables. */
  async #checkDatabase(): Promise<SendResult> {
    const { dbName } = this.#settings
    const found = await this.#rows(
      `SELECT COUNT(*), COUNT_IF(p.PRIVILEGE_TYPE IS NOT NULL), COUNT_IF(p.PRIVILEGE_TYPE IN ('CREATE SCHEMA', 'OWNERSHIP') AND IS_ROLE_IN_SESSION(p.GRANTEE)) FROM ${dbName}.INFORMATION_SCHEMA.DATABASES AS n LEFT JOIN ${dbName}.INFORMATION_SCHEMA.OBJECT_PRIVILEGES AS p ON p.OBJECT_TYPE = 'DATABASE' AND p.OBJECT_NAME = n.DATABASE_NAME WHERE n.DATABASE_NAME = ?`,
      [nameOf(dbName)],
    )
    const [, known, usable] = (found[0] ?? []).map(Number)
    // A role that does not see grants may have one all the same.
    if ((known ?? 0) > 0 && usable === 0)
      return { outcome: 'retry', error: `The default role of the user may not create schemas in ${dbName}.` }
    return { outcome: 'delivered', status: 200 }
  }

  async #createRemovals(): Promise<void> {
    if (await this.removals.exist()) return
    await this.#execute(
      `CREATE TABLE IF NOT EXISTS ${this.#target('removals')} (RECORD VARCHAR NOT NULL, MESSAGE VARCHAR NOT NULL, DELETED_AT TIMESTAMP_TZ NOT NULL, PRIMARY KEY (RECORD))`,
    )
  }

  #target(table: TableOf): string {
    const { dbName, schemaName } = this.#settings
    return `${dbName}.${schemaName}.${quoted(nameOfTable(table))}`
  }

  async #execute(statement: string, values: readonly string[] = []): Promise<HttpAnswer> {
    const answer = await this.#statements.run(statement, values)
    if (!isExecuted(answer)) throw this.#errorOf(answer)
    return answer
  }

  /** Returns rows of texts, of all partitions. */
  async #rows(statement: string, values: readonly string[]): Promise<(string | null)[][]> {
    const answer = await this.#execute(statement, values)
    const { data, resultSetMetaData } = jsonOf(answer) ?? {}
    const info: unknown = (resultSetMetaData as { partitionInfo?: unknown } | undefined)?.partitionInfo
    const handle = handleOf(answer)
    const rows = rowsIn(data)
    const isReadable =
      rows !== undefined && handle !== undefined && (!Array.isArray(info) || info.length <= partitionsMax)
    if (!isReadable) throw this.#errorOf(answer)
    for (let index = 1; Array.isArray(info) && index < info.length; index++) {
      const next = await this.#statements.partition(handle, index)
      const more = next.status === 200 ? rowsIn(jsonOf(next)?.['data']) : undefined
      if (more === undefined) throw this.#errorOf(next)
      rows.push(...more)
    }
    return rows
  }

  #errorOf(answer: HttpAnswer): WarehouseError {
    const url = statementsUrl(this.#settings)
    const { code, sqlState } = jsonOf(answer) ?? {}
    const { status } = answer
    const shown = typeof code === 'string' && /^\d{4,8}$/.test(code) ? code : undefined
    const words = shown === undefined ? undefined : reasons[shown]
    const refusal =
      shown && `${url.host} answered ${status} (error ${shown})${words === undefined ? '' : `: ${words}`}.`
    const reason = status < 300 ? `${url.host} did not confirm the statement.` : refusal
    const state = status === 422 && typeof sqlState === 'string' ? sqlState : ''
    return new WarehouseError(notDelivered(url, answer, this.#time, reason), {
      isTransient: shown === '000625' || shown === '001430',
      isOfColumns: shown === '000904' || shown === '002003',
      isAboutData: /^2[23]/.test(state) || status === 413,
    })
  }
}

const messagesTable = '_MORTISE_MESSAGES'
const removalsTable = '_MORTISE_DELETED'

function nameOfTable(table: TableOf): string {
  if (typeof table === 'object') return upper(table.object)
  return table === 'messages' ? messagesTable : removalsTable
}

const partitionsMax = 200

/** What a person can correct, by code. */
const reasons: Record<string, string> = {
  '000606': 'the user has no default warehouse that is running or resumes',
  '001003': 'the statement is not valid',
  '002003': 'the database, the schema or the table does not exist, or the default role of the user may not use it',
  '002043': 'the database or the schema does not exist, or the default role of the user may not use it',
  '003001': 'the default role of the user does not have the permission',
  '090105': 'the user has no current database',
  '390144': 'the key is not that of the user',
}

/** A name of the settings, as the information schema has it. */
function nameOf(setting: string): string {
  return setting.startsWith('"') ? setting.slice(1, -1) : setting.toUpperCase()
}

function columnOf(type: string, scale: string | null | undefined, comment: string | null | undefined): Column {
  const made = readColumnComment(comment)
  return {
    ...{ type, stores: storedTypes[type === 'NUMBER' ? `NUMBER ${scale}` : type], isField: made !== undefined },
    ...(made && { field: made.field, isRest: made.isRest }),
  }
}

function rowsIn(data: unknown): (string | null)[][] | undefined {
  if (!Array.isArray(data)) return undefined
  return data.every(
    (row): row is (string | null)[] =>
      Array.isArray(row) && row.every((value) => value === null || typeof value === 'string'),
  )
    ? data
    : undefined
}
