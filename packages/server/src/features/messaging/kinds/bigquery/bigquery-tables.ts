import type { SendResult } from '../kind.ts'
import type { Column, Columns, StoredType } from '../tables/columns.ts'
import type { RecordRow } from '../tables/rows.ts'
import type { KeptMessage } from '../tables/table-database.ts'
import { columnComment, type NewColumn, readColumnComment } from '../warehouse-tables/column-comment.ts'
import type { MergeDialect } from '../warehouse-tables/merge-statement.ts'
import { isByGroup, namespaceWithoutGroup } from '../warehouse-tables/namespace.ts'
import { type ColumnRules, plainName } from '../warehouse-tables/place-values.ts'
import { type RowMerger, rowMerger, type TableOf } from '../warehouse-tables/row-merger.ts'
import type { TableWarehouse, WarehouseRemovals, WriteOptions } from '../warehouse-tables/table-warehouse.ts'
import { creating } from '../warehouse-tables/warehouse-error.ts'
import type { Queries, TableField } from './queries.ts'
import type { BigQuerySettings } from './settings.ts'

const columnTypes: Record<StoredType, string> = {
  boolean: 'BOOL',
  integer: 'INT64',
  number: 'FLOAT64',
  date: 'DATE',
  datetime: 'TIMESTAMP',
  text: 'STRING',
  json: 'JSON',
}

/** Types of columns, as the API writes them: how SQL does, and what they store if Mortise chooses them. */
const apiTypes: Record<string, { sql: string; stores?: StoredType }> = {
  BOOLEAN: { sql: 'BOOL', stores: 'boolean' },
  BOOL: { sql: 'BOOL', stores: 'boolean' },
  INTEGER: { sql: 'INT64', stores: 'integer' },
  INT64: { sql: 'INT64', stores: 'integer' },
  FLOAT: { sql: 'FLOAT64', stores: 'number' },
  FLOAT64: { sql: 'FLOAT64', stores: 'number' },
  DATE: { sql: 'DATE', stores: 'date' },
  TIMESTAMP: { sql: 'TIMESTAMP', stores: 'datetime' },
  STRING: { sql: 'STRING', stores: 'text' },
  JSON: { sql: 'JSON', stores: 'json' },
  NUMERIC: { sql: 'NUMERIC' },
  BIGNUMERIC: { sql: 'BIGNUMERIC' },
  DATETIME: { sql: 'DATETIME' },
  TIME: { sql: 'TIME' },
}

/** A request has 10 MB at most, and a value of JSON is escaped in it. */
const stagedBytesMax = 4 * 2 ** 20

/** Beginnings of names that BigQuery keeps for itself. */
const reserved = /^(?:_table_|_file_|_partition|_row_timestamp|__root__|_colidentifier|_change_|_cluster)/i

function nameOf(field: string): string {
  return reserved.test(field) ? plainName(`field ${field}`) : plainName(field)
}

const quoted = (name: string) => `\`${name}\``

const dialect: MergeDialect = {
  quoted,
  own: quoted,
  text: (key) => `JSON_VALUE(r, '$.${key}')`,
  converted: (text, { stores, type }) =>
    stores === 'json' ? json(text) : stores === 'text' ? text : `CAST(${text} AS ${apiTypes[type]?.sql ?? 'STRING'})`,
  time: (text) => `CAST(${text} AS TIMESTAMP)`,
  json,
  source: 'UNNEST(JSON_QUERY_ARRAY(@rows)) AS r',
}

/** By default, BigQuery refuses numbers that it would round. */
function json(text: string): string {
  return `PARSE_JSON(${text}, wide_number_mode=>'round')`
}

/** Tables of records in a dataset. Rows are staged in the statement that merges them, as a parameter. */
export class BigQueryTables implements TableWarehouse {
  readonly rules: ColumnRules = { nameOf, fold: (name) => name.toLowerCase(), columnsMax: 1_200 }
  readonly #settings: BigQuerySettings
  readonly #queries: Queries
  readonly #merger: RowMerger
  readonly removals: WarehouseRemovals

  constructor(settings: BigQuerySettings, queries: Queries) {
    this.#settings = settings
    this.#queries = queries
    this.#merger = rowMerger({
      dialect,
      stagedBytesMax,
      target: (table) => this.#target(table),
      isWritable: ({ type }) => type !== notWritten,
      run: (statement, rows) => queries.run(statement, rows === undefined ? {} : { rows }),
    })
    this.removals = {
      ...this.#merger,
      exist: async () => (await queries.fieldsOf(settings.datasetId, removalsTable)) !== undefined,
      prepare: () => this.#createRemovals(),
    }
  }

  typeOf({ stores }: NewColumn): string {
    const [type = ''] = Object.entries(apiTypes).find(([, one]) => one.stores === stores) ?? []
    return type
  }

  async loadColumns(table: string): Promise<Columns> {
    const fields = (await this.#queries.fieldsOf(this.#settings.datasetId, plainName(table))) ?? []
    return new Map(fields.map((field) => [field.name, columnOf(field)]))
  }

  /** A dataset is at the default location of the project. */
  async createNamespace(): Promise<void> {
    const { datasetId } = this.#settings
    if (!(await this.#queries.hasDataset(datasetId))) await this.#queries.run(this.#dataset(datasetId))
  }

  async createTable(table: string): Promise<void> {
    const own = [
      ...['_mortise_group', '_mortise_provider', '_mortise_workspace', '_mortise_id'].map(
        (name) => `${name} STRING NOT NULL`,
      ),
      ...['_mortise_installation STRING', '_mortise_message STRING NOT NULL', '_mortise_read_at TIMESTAMP NOT NULL'],
      ...['_mortise_deleted_at TIMESTAMP', '_mortise_raw JSON'],
    ]
    await this.#queries.run(
      `CREATE TABLE IF NOT EXISTS ${this.#target({ object: table })} (${own.join(', ')}) CLUSTER BY _mortise_group, _mortise_id`,
    )
  }

  async addColumns(table: string, columns: ReadonlyMap<string, NewColumn>): Promise<void> {
    const added = [...columns].map(
      ([name, column]) =>
        `ADD COLUMN ${quoted(name)} ${columnTypes[column.stores]} OPTIONS (description = '${columnComment(column)}')`,
    )
    await this.#queries.run(`ALTER TABLE ${this.#target({ object: table })} ${added.join(', ')}`)
  }

  async createMessages(): Promise<void> {
    await this.#queries.run(this.#messages())
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

  /** A dry run needs the permissions of the statement, and the dataset. */
  async check(): Promise<SendResult> {
    const { datasetId } = this.#settings
    if (isByGroup(datasetId)) {
      const dataset = namespaceWithoutGroup(datasetId)
      await creating(dataset, () => this.#queries.run(this.#dataset(dataset), { isDryRun: true }))
      return { outcome: 'delivered', status: 200 }
    }
    await this.#queries.run(this.#messages(), { isDryRun: true })
    return { outcome: 'delivered', status: 200 }
  }

  #dataset(datasetId: string): string {
    return `CREATE SCHEMA IF NOT EXISTS ${quoted(`${this.#settings.projectId}.${datasetId}`)}`
  }

  #messages(): string {
    return `CREATE TABLE IF NOT EXISTS ${this.#target('messages')} (id STRING NOT NULL, kind STRING NOT NULL, event_type STRING, created_at TIMESTAMP NOT NULL, body JSON NOT NULL) CLUSTER BY id`
  }

  async #createRemovals(): Promise<void> {
    if (await this.removals.exist()) return
    await this.#queries.run(
      `CREATE TABLE IF NOT EXISTS ${this.#target('removals')} (record STRING NOT NULL, message STRING NOT NULL, deleted_at TIMESTAMP NOT NULL) CLUSTER BY record`,
    )
  }

  #target(table: TableOf): string {
    const { projectId, datasetId } = this.#settings
    return quoted(`${projectId}.${datasetId}.${nameOfTable(table)}`)
  }
}

const messagesTable = '_mortise_messages'
const removalsTable = '_mortise_deleted'

function nameOfTable(table: TableOf): string {
  if (typeof table === 'object') return plainName(table.object)
  return table === 'messages' ? messagesTable : removalsTable
}

/** The type of columns of a user that no value is written to: lists, structures and places. */
const notWritten = ''

function columnOf({ type, mode, description }: TableField): Column {
  const made = readColumnComment(description)
  const known = mode === 'REPEATED' ? undefined : apiTypes[type]
  return {
    type: known === undefined ? notWritten : type,
    stores: known?.stores,
    isField: made !== undefined,
    ...(made && { field: made.field, isRest: made.isRest }),
  }
}
