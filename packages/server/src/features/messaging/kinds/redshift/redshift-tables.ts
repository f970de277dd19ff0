import type { SendResult } from '../kind.ts'
import type { Column, Columns, StoredType } from '../tables/columns.ts'
import { fitted, type RecordRow } from '../tables/rows.ts'
import type { KeptMessage, Removal } from '../tables/table-database.ts'
import { columnComment, type NewColumn, readColumnComment } from '../warehouse-tables/column-comment.ts'
import { isByGroup } from '../warehouse-tables/namespace.ts'
import { type ColumnRules, plainName } from '../warehouse-tables/place-values.ts'
import {
  keyColumns,
  type StagedColumn,
  type StagedRow,
  stagedColumns,
  stagedMark,
  stagedMessage,
  stagedParts,
  stagedRecord,
  stagedRemoval,
  timeText,
  withRecordKey,
} from '../warehouse-tables/staged-rows.ts'
import type { TableWarehouse, WarehouseRemovals, WriteOptions } from '../warehouse-tables/table-warehouse.ts'
import { WarehouseError } from '../warehouse-tables/warehouse-error.ts'
import type { RedshiftSession } from './redshift-session.ts'
import type { RedshiftSettings } from './settings.ts'

const columnTypes: Record<StoredType, string> = {
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  number: 'DOUBLE PRECISION',
  date: 'DATE',
  datetime: 'TIMESTAMPTZ',
  text: 'VARCHAR(65535)',
  json: 'SUPER',
}

/** What types store, as the catalog writes them. */
const storedTypes: Record<string, StoredType> = {
  boolean: 'boolean',
  bigint: 'integer',
  'double precision': 'number',
  date: 'date',
  'timestamp with time zone': 'datetime',
  'character varying(65535)': 'text',
  super: 'json',
}

/** Maximum size of a statement (Redshift Data API, "Considerations"), with room for what surrounds values. */
const statementBytesMax = 90_000
/** Names of columns are in a statement, which has 100 KB. */
const columnsMax = 800
/** Rows of one insertion: each is a parameter. */
const insertedRowsMax = 200
/** A row is a text until it is parsed, and a text has 65,535 bytes at most. */
const rowBytesMax = 65_000
/** Statements of one batch are one transaction. */
const batchMax = 40
/** Maximum length of a part of the key, in characters. */
const keyLengthMax = 500

const lower = (name: string) => plainName(name).toLowerCase()
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

interface Staged {
  /** Quoted. */
  name: string
  key: string
  value: string
}

/**
 * Tables of records in a schema of Redshift. Rows are staged in a temporary table of a session, in parts that the Data
 * API takes. One transaction merges them. `MERGE` of Redshift cannot compare message ids, so an update and an insertion
 * take its place, under a lock of the table: Redshift enforces no key.
 */
export class RedshiftTables implements TableWarehouse {
  readonly rules: ColumnRules = { nameOf: lower, fold: (name) => name.toLowerCase(), columnsMax }
  readonly #settings: RedshiftSettings
  readonly #session: RedshiftSession
  readonly removals: WarehouseRemovals

  constructor(settings: RedshiftSettings, session: RedshiftSession) {
    this.#settings = settings
    this.#session = session
    this.removals = {
      exist: async () => (await this.#columnsOf(removalsTable)).size > 0,
      prepare: () => this.#createRemovals(),
      remember: (removals) => this.#remember(removals),
      remove: (table, rows) => this.#remove(table, rows),
      forget: (before) =>
        this.#session.batch([
          `DELETE FROM ${this.#target(removalsTable)} WHERE deleted_at < '${timeText(before)}'::TIMESTAMPTZ`,
        ]),
    }
  }

  typeOf({ stores }: NewColumn): string {
    const [type = ''] = Object.entries(storedTypes).find(([, stored]) => stored === stores) ?? []
    return type
  }

  loadColumns(table: string): Promise<Columns> {
    return this.#columnsOf(lower(table))
  }

  async #columnsOf(table: string): Promise<Columns> {
    const rows = await this.#session.rows(
      `SELECT a.attname, format_type(a.atttypid, a.atttypmod), d.description ${fromCatalog}`,
      { schema: this.#schema(), table },
    )
    return new Map(rows.map(([name, type, comment]) => [name ?? '', columnOf(type ?? '', comment)]))
  }

  async createNamespace(): Promise<void> {
    const schema = this.#schema()
    const found = await this.#session.rows('SELECT n.nspname FROM pg_namespace n WHERE n.nspname = :schema', { schema })
    if (found.length === 0) await this.#session.batch([`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`])
  }

  async createTable(table: string): Promise<void> {
    const own = [
      ...keyColumns.map(([name]) => `${name} VARCHAR(2048) NOT NULL`),
      ...['_mortise_installation VARCHAR(64)', '_mortise_message VARCHAR(36) NOT NULL'],
      ...['_mortise_read_at TIMESTAMPTZ NOT NULL', '_mortise_deleted_at TIMESTAMPTZ', '_mortise_raw SUPER'],
      `PRIMARY KEY (${keyColumns.map(([name]) => name).join(', ')})`,
    ]
    await this.#session.batch([`CREATE TABLE IF NOT EXISTS ${this.#target(table)} (${own.join(', ')})`])
  }

  /** A statement adds one column. A column and its comment are in one transaction. */
  async addColumns(table: string, columns: ReadonlyMap<string, NewColumn>): Promise<void> {
    const target = this.#target(table)
    const added = [...columns].map(([name, column]) => [
      `ALTER TABLE ${target} ADD COLUMN ${quoted(name)} ${columnTypes[column.stores]}`,
      `COMMENT ON COLUMN ${target}.${quoted(name)} IS '${columnComment(column)}'`,
    ])
    for (let at = 0; at < added.length; at += batchMax / 2)
      await this.#session.batch(added.slice(at, at + batchMax / 2).flat())
  }

  async createMessages(): Promise<void> {
    await this.#session.batch([
      `CREATE TABLE IF NOT EXISTS ${this.#target(messagesTable)} (id VARCHAR(36) NOT NULL, kind VARCHAR(64) NOT NULL, event_type VARCHAR(256), created_at TIMESTAMPTZ NOT NULL, body SUPER NOT NULL, PRIMARY KEY (id))`,
    ])
  }

  async mergeRecords(
    table: string,
    columns: Columns,
    rows: readonly RecordRow[],
    options: WriteOptions,
  ): Promise<void> {
    const written = stagedColumns(columns, rows)
    const staged = rows.map((row) => shortened(stagedFor(stagedRecord(row, written), row, options)))
    await this.#merge(table, staged, { columns: written, hasValues: true, ...options })
  }

  async markRecords(
    table: string,
    _columns: Columns,
    rows: readonly RecordRow[],
    options: WriteOptions,
  ): Promise<void> {
    const staged = rows.map((row) => shortened(stagedFor(stagedMark(row), row, options)))
    await this.#merge(table, staged, { columns: [], hasValues: false, ...options })
  }

  async insertMessages(messages: readonly KeptMessage[]): Promise<void> {
    const others: Staged[] = [
      { name: 'kind', key: 'v_kind', value: text('v_kind') },
      { name: 'event_type', key: 'v_event_type', value: text('v_event_type') },
      { name: 'created_at', key: 'v_created_at', value: `${text('v_created_at')}::TIMESTAMPTZ` },
      { name: 'body', key: 'v_body', value: `JSON_PARSE(${text('v_body')})` },
    ]
    await this.#load(messages.map(stagedMessage))
    await this.#mergeStaged(messagesTable, {
      keys: [{ name: 'id', key: 'k_id', value: text('k_id') }],
      others,
    })
  }

  async #createRemovals(): Promise<void> {
    if (await this.removals.exist()) return
    await this.#session.batch([
      `CREATE TABLE IF NOT EXISTS ${this.#target(removalsTable)} (record VARCHAR(64) NOT NULL, message VARCHAR(36) NOT NULL, deleted_at TIMESTAMPTZ NOT NULL, PRIMARY KEY (record))`,
    ])
  }

  async #remember(removals: readonly Removal[]): Promise<void> {
    await this.#load(removals.map(stagedRemoval))
    await this.#mergeStaged(removalsTable, {
      keys: [{ name: 'record', key: 'k_record', value: text('k_record') }],
      others: [
        { name: 'message', key: 'v_message', value: text('v_message') },
        { name: 'deleted_at', key: 'v_deleted_at', value: `${text('v_deleted_at')}::TIMESTAMPTZ` },
      ],
      newest: 'message',
    })
  }

  async #remove(table: string, rows: readonly RecordRow[]): Promise<void> {
    const target = this.#target(table)
    const staged = [...stagedKeys, { key: 'v_message', value: text('v_message') }]
    await this.#load(rows.map(stagedMark).map(shortened))
    await this.#session.batch([
      `LOCK TABLE ${target}`,
      rowsOf(staged),
      `DELETE FROM ${target} USING mortise_rows WHERE ${isSame(target, stagedKeys)} AND ${target}._mortise_message < mortise_rows.v_message`,
      'DROP TABLE mortise_rows',
      'DROP TABLE mortise_staged',
    ])
  }

  async check(): Promise<SendResult> {
    const { schemaName, dbName } = this.#settings
    if (isByGroup(schemaName)) {
      const [database] = await this.#session.rows(
        `SELECT current_database(), CASE WHEN has_database_privilege(current_database(), 'create') THEN 'yes' ELSE 'no' END`,
        {},
      )
      if (database?.[1] === 'yes') return { outcome: 'delivered', status: 200 }
      return { outcome: 'retry', error: `The user may not create schemas in the database ${dbName}.` }
    }
    const schema = this.#schema()
    const [row] = await this.#session.rows(
      `SELECT n.nspname, CASE WHEN has_schema_privilege(n.nspname, 'create') THEN 'yes' ELSE 'no' END FROM pg_namespace n WHERE n.nspname = :schema`,
      { schema },
    )
    if (row === undefined) return { outcome: 'retry', error: `The database has no schema ${schema}: create it.` }
    if (row[1] !== 'yes') return { outcome: 'retry', error: `The user may not create tables in the schema ${schema}.` }
    return { outcome: 'delivered', status: 200 }
  }

  /** Redshift compares names in lower case, in quotes too. */
  #schema(): string {
    return (this.#settings.schemaName ?? 'public').toLowerCase()
  }

  #target(table: string): string {
    const isOwn = table === messagesTable || table === removalsTable
    return `${quoted(this.#schema())}.${quoted(isOwn ? table : lower(table))}`
  }

  async #merge(
    table: string,
    staged: readonly StagedRow[],
    { columns, hasValues, respectsRemovals }: WriteOptions & { columns: readonly StagedColumn[]; hasValues: boolean },
  ): Promise<void> {
    const others: Staged[] = [
      { name: '_mortise_installation', key: 'v_installation', value: text('v_installation') },
      { name: '_mortise_message', key: 'v_message', value: text('v_message') },
      { name: '_mortise_read_at', key: 'v_read_at', value: `${text('v_read_at')}::TIMESTAMPTZ` },
      { name: '_mortise_deleted_at', key: 'v_deleted_at', value: `${text('v_deleted_at')}::TIMESTAMPTZ` },
      ...(hasValues ? [{ name: '_mortise_raw', key: 'v_raw', value: `JSON_PARSE(${text('v_raw')})` }] : []),
      ...columns.map(({ name, key, column }) => ({ name: quoted(name), key, value: converted(text(key), column) })),
    ]
    await this.#load(staged)
    await this.#mergeStaged(table, { keys: stagedKeys, others, newest: '_mortise_message', respectsRemovals })
  }

  /** Puts rows into the temporary table of the session. */
  async #load(rows: readonly StagedRow[]): Promise<void> {
    if (rows.some((row) => bytesOf(row) > rowBytesMax))
      throw new WarehouseError(
        {
          outcome: 'retry',
          error: `The record is longer than ${rowBytesMax} bytes, which Redshift cannot store as one value.`,
        },
        { isAboutData: true },
      )
    // What an attempt that failed left in the session.
    await this.#session.batch(['DROP TABLE IF EXISTS mortise_staged', 'CREATE TEMP TABLE mortise_staged (r SUPER)'])
    for (const part of stagedParts(rows, { bytesMax: statementBytesMax, countMax: insertedRowsMax })) {
      const values = part.map((_, index) => `(JSON_PARSE(:r${index}))`).join(', ')
      await this.#session.execute(
        `INSERT INTO mortise_staged VALUES ${values}`,
        Object.fromEntries(part.map((row, index) => [`r${index}`, row])),
      )
    }
  }

  /**
   * Merges what was staged, in one transaction.
   *
   * @param options.newest the column with the id of a message: a row changes only for a newer one. By default, rows
   *   stay.
   */
  async #mergeStaged(
    table: string,
    {
      keys,
      others,
      newest,
      respectsRemovals = false,
    }: { keys: readonly Staged[]; others: readonly Staged[]; newest?: string } & Partial<WriteOptions>,
  ): Promise<void> {
    const [target, removals] = [this.#target(table), this.#target(removalsTable)]
    const all = [...keys, ...others]
    const record = { key: 'k_record', value: text('k_record') }
    const changes = others.map(({ name, key }) => `${name} = mortise_rows.${key}`).join(', ')
    const [first] = keys
    await this.#session.batch([
      // A removal that is remembered meanwhile waits, and then removes what this writes.
      ...(respectsRemovals ? [`LOCK TABLE ${removals}`] : []),
      `LOCK TABLE ${target}`,
      rowsOf(respectsRemovals ? [...all, record] : all),
      ...(respectsRemovals
        ? [
            `DELETE FROM mortise_rows USING ${removals} WHERE ${removals}.record = mortise_rows.k_record AND ${removals}.message >= mortise_rows.v_message`,
          ]
        : []),
      ...(newest === undefined
        ? []
        : [
            `UPDATE ${target} SET ${changes} FROM mortise_rows WHERE ${isSame(target, keys)} AND ${target}.${newest} < mortise_rows.v_message`,
          ]),
      `INSERT INTO ${target} (${all.map(({ name }) => name).join(', ')}) SELECT ${all.map(({ key }) => `mortise_rows.${key}`).join(', ')} FROM mortise_rows LEFT JOIN ${target} ON ${isSame(target, keys)} WHERE ${target}.${first?.name} IS NULL`,
      'DROP TABLE mortise_rows',
      'DROP TABLE mortise_staged',
    ])
  }
}

const messagesTable = '_mortise_messages'
const removalsTable = '_mortise_deleted'

const fromCatalog = [
  'FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace',
  'LEFT JOIN pg_description d ON d.objoid = a.attrelid AND d.objsubid = a.attnum',
  'WHERE n.nspname = :schema AND c.relname = :table AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum',
].join(' ')
/** The text of a staged value. */
const text = (key: string) => `s.r.${key}::VARCHAR(65535)`
const stagedKeys: readonly Staged[] = keyColumns.map(([name, key]) => ({ name, key, value: text(key) }))

/** Makes a temporary table of what was staged, with typed columns. */
function rowsOf(values: readonly Omit<Staged, 'name'>[]): string {
  const selected = values.map(({ key, value }) => `${value} AS ${key}`).join(', ')
  return `CREATE TEMP TABLE mortise_rows AS SELECT ${selected} FROM mortise_staged s`
}

function isSame(target: string, keys: readonly Staged[]): string {
  return keys.map(({ name, key }) => `${target}.${name} = mortise_rows.${key}`).join(' AND ')
}

function stagedFor(staged: StagedRow, row: RecordRow, { respectsRemovals }: WriteOptions): StagedRow {
  return respectsRemovals ? withRecordKey(staged, row) : staged
}

function converted(value: string, { stores, type }: Column): string {
  if (stores === 'json') return `JSON_PARSE(${value})`
  if (stores !== undefined) return stores === 'text' ? value : `${value}::${columnTypes[stores]}`
  // A type that a user chose, as the catalog writes it.
  return /^[a-z][a-z ]{1,40}(?:\(\d{1,5}(?:,\d{1,5})?\))?$/.test(type) ? `${value}::${type}` : value
}

/** Fits a row: cuts the key, and leaves out the raw record if it is too long. */
function shortened(row: StagedRow): StagedRow {
  const keys = keyColumns.map(([, key]) => [key, fitted(row[key] ?? '', keyLengthMax)] as const)
  const cut = { ...row, ...Object.fromEntries(keys) }
  if (bytesOf(cut) <= rowBytesMax) return cut
  const { v_raw: _, ...others } = cut
  return others
}

function bytesOf(row: StagedRow): number {
  return Buffer.byteLength(JSON.stringify(row))
}

function columnOf(type: string, comment: string | null | undefined): Column {
  const made = readColumnComment(comment)
  return {
    ...{ type, stores: storedTypes[type], isField: made !== undefined },
    ...(made && { field: made.field, isRest: made.isRest }),
  }
}
