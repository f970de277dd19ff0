import { awsError } from '../aws.ts'
import { type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import type { SendOptions, SendResult } from '../kind.ts'
import type { Column, Columns, StoredType } from '../tables/columns.ts'
import { fitted, type RecordRow } from '../tables/rows.ts'
import type { KeptMessage } from '../tables/table-database.ts'
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
} from '../warehouse-tables/staged-rows.ts'
import type { TableWarehouse } from '../warehouse-tables/table-warehouse.ts'
import { WarehouseError } from '../warehouse-tables/warehouse-error.ts'
import { type DataCall, databaseOf, isDataError, runToEnd } from './data-calls.ts'
import { dataApiUrl, type RedshiftSettings } from './settings.ts'

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
/** A session that was left ends, and its temporary tables with it. */
const sessionSecs = 60
/** Maximum length of a part of the key, in characters. */
const keyLengthMax = 500

const lower = (name: string) => plainName(name).toLowerCase()
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** The session of one `send`, once its first statement has begun it. */
export interface Session {
  id: string | undefined
}

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
  readonly #call: DataCall
  readonly #options: SendOptions
  readonly #session: Session

  constructor(
    settings: RedshiftSettings,
    { call, session }: { call: DataCall; session: Session },
    options: SendOptions,
  ) {
    this.#settings = settings
    this.#call = call
    this.#session = session
    this.#options = options
  }

  typeOf({ stores }: NewColumn): string {
    const [type = ''] = Object.entries(storedTypes).find(([, stored]) => stored === stores) ?? []
    return type
  }

  async loadColumns(table: string): Promise<Columns> {
    const rows = await this.#rows(
      `SELECT a.attname, format_type(a.atttypid, a.atttypmod), d.description ${fromCatalog}`,
      { schema: this.#schema(), table: lower(table) },
    )
    return new Map(rows.map(([name, type, comment]) => [name ?? '', columnOf(type ?? '', comment)]))
  }

  async createNamespace(): Promise<void> {
    const schema = this.#schema()
    const found = await this.#rows('SELECT n.nspname FROM pg_namespace n WHERE n.nspname = :schema', { schema })
    if (found.length === 0) await this.#batch([`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`])
  }

  async createTable(table: string): Promise<void> {
    const own = [
      ...keyColumns.map(([name]) => `${name} VARCHAR(2048) NOT NULL`),
      ...['_mortise_installation VARCHAR(64)', '_mortise_message VARCHAR(36) NOT NULL'],
      ...['_mortise_read_at TIMESTAMPTZ NOT NULL', '_mortise_deleted_at TIMESTAMPTZ', '_mortise_raw SUPER'],
      `PRIMARY KEY (${keyColumns.map(([name]) => name).join(', ')})`,
    ]
    await this.#batch([`CREATE TABLE IF NOT EXISTS ${this.#target(table)} (${own.join(', ')})`])
  }

  /** A statement adds one column. A column and its comment are in one transaction. */
  async addColumns(table: string, columns: ReadonlyMap<string, NewColumn>): Promise<void> {
    const target = this.#target(table)
    const added = [...columns].map(([name, column]) => [
      `ALTER TABLE ${target} ADD COLUMN ${quoted(name)} ${columnTypes[column.stores]}`,
      `COMMENT ON COLUMN ${target}.${quoted(name)} IS '${columnComment(column)}'`,
    ])
    for (let at = 0; at < added.length; at += batchMax / 2) await this.#batch(added.slice(at, at + batchMax / 2).flat())
  }

  async createMessages(): Promise<void> {
    await this.#batch([
      `CREATE TABLE IF NOT EXISTS ${this.#target(messagesTable)} (id VARCHAR(36) NOT NULL, kind VARCHAR(64) NOT NULL, event_type VARCHAR(256), created_at TIMESTAMPTZ NOT NULL, body SUPER NOT NULL, PRIMARY KEY (id))`,
    ])
  }

  async mergeRecords(table: string, columns: Columns, rows: readonly RecordRow[]): Promise<void> {
    const written = stagedColumns(columns, rows)
    const staged = rows.map((row) => stagedRecord(row, written)).map(shortened)
    await this.#merge(table, staged, { columns: written, hasValues: true })
  }

  async markRecords(table: string, _columns: Columns, rows: readonly RecordRow[]): Promise<void> {
    await this.#merge(table, rows.map(stagedMark).map(shortened), { columns: [], hasValues: false })
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
      isUpdated: false,
    })
  }

  async check(): Promise<SendResult> {
    const { schemaName, dbName } = this.#settings
    if (isByGroup(schemaName)) {
      const [database] = await this.#rows(
        `SELECT current_database(), CASE WHEN has_database_privilege(current_database(), 'create') THEN 'yes' ELSE 'no' END`,
        {},
      )
      if (database?.[1] === 'yes') return { outcome: 'delivered', status: 200 }
      return { outcome: 'retry', error: `The user may not create schemas in the database ${dbName}.` }
    }
    const schema = this.#schema()
    const [row] = await this.#rows(
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
    return `${quoted(this.#schema())}.${quoted(table === messagesTable ? table : lower(table))}`
  }

  async #merge(
    table: string,
    staged: readonly StagedRow[],
    { columns, hasValues }: { columns: readonly StagedColumn[]; hasValues: boolean },
  ): Promise<void> {
    const others: Staged[] = [
      { name: '_mortise_installation', key: 'v_installation', value: text('v_installation') },
      { name: '_mortise_message', key: 'v_message', value: text('v_message') },
      { name: '_mortise_read_at', key: 'v_read_at', value: `${text('v_read_at')}::TIMESTAMPTZ` },
      { name: '_mortise_deleted_at', key: 'v_deleted_at', value: `${text('v_deleted_at')}::TIMESTAMPTZ` },
      ...(hasValues ? [{ name: '_mortise_raw', key: 'v_raw', value: `JSON_PARSE(${text('v_raw')})` }] : []),
      ...columns.map(({ name, key, column }) => ({ name: quoted(name), key, value: converted(text(key), column) })),
    ]
    const keys = keyColumns.map(([name, key]) => ({ name, key, value: text(key) }))
    await this.#load(staged)
    await this.#mergeStaged(table, { keys, others, isUpdated: true })
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
    await this.#batch(['DROP TABLE IF EXISTS mortise_staged', 'CREATE TEMP TABLE mortise_staged (r SUPER)'])
    for (const part of stagedParts(rows, { bytesMax: statementBytesMax, countMax: insertedRowsMax })) {
      const values = part.map((_, index) => `(JSON_PARSE(:r${index}))`).join(', ')
      await this.#execute(
        `INSERT INTO mortise_staged VALUES ${values}`,
        Object.fromEntries(part.map((row, index) => [`r${index}`, row])),
      )
    }
  }

  /** Merges what was staged, in one transaction. */
  async #mergeStaged(
    table: string,
    { keys, others, isUpdated }: { keys: readonly Staged[]; others: readonly Staged[]; isUpdated: boolean },
  ): Promise<void> {
    const target = this.#target(table)
    const all = [...keys, ...others]
    const isSame = keys.map(({ name, key }) => `${target}.${name} = mortise_rows.${key}`).join(' AND ')
    const changes = others.map(({ name, key }) => `${name} = mortise_rows.${key}`).join(', ')
    const [first] = keys
    await this.#batch([
      `LOCK TABLE ${target}`,
      `CREATE TEMP TABLE mortise_rows AS SELECT ${all.map(({ key, value }) => `${value} AS ${key}`).join(', ')} FROM mortise_staged s`,
      ...(isUpdated
        ? [
            `UPDATE ${target} SET ${changes} FROM mortise_rows WHERE ${isSame} AND ${target}._mortise_message < mortise_rows.v_message`,
          ]
        : []),
      `INSERT INTO ${target} (${all.map(({ name }) => name).join(', ')}) SELECT ${all.map(({ key }) => `mortise_rows.${key}`).join(', ')} FROM mortise_rows LEFT JOIN ${target} ON ${isSame} WHERE ${target}.${first?.name} IS NULL`,
      'DROP TABLE mortise_rows',
      'DROP TABLE mortise_staged',
    ])
  }

  /** Runs statements as one transaction. */
  async #batch(sqls: readonly string[]): Promise<void> {
    await this.#run('BatchExecuteStatement', { Sqls: sqls })
  }

  #execute(sql: string, values: Record<string, string> = {}): Promise<string> {
    const parameters = Object.entries(values).map(([name, value]) => ({ name, value }))
    return this.#run('ExecuteStatement', { Sql: sql, ...(parameters.length > 0 && { Parameters: parameters }) })
  }

  /** Runs statements in the session, which the first of them begins. Returns their id. */
  async #run(operation: 'ExecuteStatement' | 'BatchExecuteStatement', body: object): Promise<string> {
    const where =
      this.#session.id === undefined
        ? { ...databaseOf(this.#settings), SessionKeepAliveSeconds: sessionSecs }
        : { SessionId: this.#session.id }
    const ran = await runToEnd(this.#call, { operation, body: { ...body, ...where } }, this.#options)
    if ('refused' in ran) throw this.#errorOf(ran.refused)
    const { SessionId: session } = jsonOf(ran.submitted) ?? {}
    if (typeof session === 'string' && /^[\w-]{1,100}$/.test(session)) this.#session.id = session
    if (ran.ended.status !== 200 || jsonOf(ran.ended)?.['Status'] !== 'FINISHED') {
      // The session may have ended.
      this.#session.id = undefined
      throw this.#errorOf(ran.ended)
    }
    if (this.#session.id === undefined) throw this.#errorOf(ran.submitted)
    return ran.id
  }

  async #rows(sql: string, values: Record<string, string>): Promise<(string | null)[][]> {
    const id = await this.#execute(sql, values)
    const rows: (string | null)[][] = []
    let next: string | undefined
    for (let page = 0; page < pagesMax; page++) {
      const answer = await this.#call('GetStatementResult', { Id: id, ...(next !== undefined && { NextToken: next }) })
      const { Records: records, NextToken: token } = jsonOf(answer) ?? {}
      if (answer.status !== 200 || !Array.isArray(records)) throw this.#errorOf(answer)
      rows.push(...records.map(textsOf))
      if (typeof token !== 'string' || token === '') return rows
      next = token
    }
    const { host } = dataApiUrl(this.#settings)
    throw new WarehouseError({ outcome: 'retry', error: `${host} answered with more than ${pagesMax} pages.` })
  }

  #errorOf(answer: HttpAnswer): WarehouseError {
    const url = dataApiUrl(this.#settings)
    const { time } = this.#options
    if (answer.status !== 200) return new WarehouseError(awsError(url, answer, time))
    const { Status: state, Error: error } = jsonOf(answer) ?? {}
    const isEnded = state === 'FAILED' || state === 'ABORTED'
    const message = typeof error === 'string' ? error.slice(0, messageMax) : ''
    const words = reasons.find(([pattern]) => pattern.test(message))?.[1]
    const ended = `The statement ended as ${String(state)}${words === undefined ? '' : `: ${words}`}.`
    const reason = isEnded ? ended : `${url.host} did not say what became of the statement.`
    return new WarehouseError(notDelivered(url, answer, time, reason), {
      isTransient: /serializable isolation violation|already exists|concurrent/i.test(message),
      isOfColumns: /does not exist|is of type/i.test(message),
      isAboutData: isDataError(answer),
    })
  }
}

const messagesTable = '_mortise_messages'

const fromCatalog = [
  'FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace',
  'LEFT JOIN pg_description d ON d.objoid = a.attrelid AND d.objsubid = a.attnum',
  'WHERE n.nspname = :schema AND c.relname = :table AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum',
].join(' ')
const pagesMax = 200
/** What is read of an error. */
const messageMax = 2_000

/** What a person can correct, as Redshift says it. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/permission denied/i, 'the user does not have the permission'],
  [/schema "/i, 'the schema does not exist, or the user may not use it'],
  [/database "/i, 'the database does not exist, or the user may not use it'],
  [/disk full/i, 'the disk is full'],
]

/** The text of a staged value. */
const text = (key: string) => `s.r.${key}::VARCHAR(65535)`

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

/** A row of `GetStatementResult`: each value is an object with one key. */
function textsOf(record: unknown): (string | null)[] {
  if (!Array.isArray(record)) return []
  return record.map((field: unknown) => {
    const value: unknown = typeof field === 'object' && field !== null ? Reflect.get(field, 'stringValue') : undefined
    return typeof value === 'string' ? value : null
  })
}
