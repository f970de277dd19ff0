import type { Client } from 'pg'
import type { Columns, DeclaredTypes } from '../tables/columns.ts'
import { valuesOf } from '../tables/message-store.ts'
import type { RecordRow } from '../tables/rows.ts'
import type { KeptMessage, Refusal, TableDatabase } from '../tables/table-database.ts'
import { ownTables } from './find-faults.ts'
import { insertMessages, markRecords, mergeRecords } from './merge.ts'
import { isServerError } from './postgres-connection.ts'
import { isAboutData, refusalOf } from './refusal.ts'
import { PostgresRemovals } from './removals.ts'
import type { Staging } from './staging.ts'
import { loadColumns, missing, prepareMessages, prepareSchema, prepareTable, quoted } from './table.ts'

/** The tables of a schema, over one connection. Changes of tables are part of the transaction. */
export class PostgresDatabase implements TableDatabase {
  readonly removals: PostgresRemovals
  readonly #client: Client
  readonly #schema: string
  /** The name of the schema, if it is created when it does not exist. */
  readonly #created: string | undefined
  readonly #shown: string
  readonly #staging: Staging

  /**
   * @param options.staging of the connection
   * @param options.shown host and port of the server, for people
   */
  constructor(
    client: Client,
    { schema, isCreated, shown, staging }: { schema: string; isCreated: boolean; shown: string; staging: Staging },
  ) {
    this.#client = client
    this.#staging = staging
    this.#created = isCreated ? schema : undefined
    this.#schema = quoted(schema)
    this.#shown = shown
    this.removals = new PostgresRemovals(client, this.#schema)
  }

  async begin(timeoutMs: number): Promise<void> {
    await this.#client.query(
      // Each statement sees what others have committed before it, whatever the default of the server is.
      `begin isolation level read committed; set local statement_timeout = ${Math.ceil(timeoutMs)}; set local lock_timeout = 10000`,
    )
  }

  needsChange(columns: Columns, rows: readonly RecordRow[]): boolean {
    return missing(columns, valuesOf(rows), new Map()).size > 0
  }

  async prepareTable(table: string, rows: readonly RecordRow[], declared: DeclaredTypes): Promise<Columns> {
    if (this.#created !== undefined) await prepareSchema(this.#client, this.#created)
    return prepareTable(this.#client, this.#name(table), valuesOf(rows), declared)
  }

  async prepareMessages(): Promise<void> {
    if (this.#created !== undefined) await prepareSchema(this.#client, this.#created)
    const table = this.#name(ownTables.messages)
    if ((await loadColumns(this.#client, table)).size === 0) await prepareMessages(this.#client, table)
  }

  async beginRows(): Promise<void> {
    // The transaction has begun.
  }

  mergeRecords(table: string, columns: Columns, rows: readonly RecordRow[]): Promise<void> {
    return mergeRecords(this.#client, this.#name(table), columns, rows, this.#staging)
  }

  markRecords(table: string, rows: readonly RecordRow[]): Promise<void> {
    return markRecords(this.#client, this.#name(table), rows)
  }

  insertMessages(messages: readonly KeptMessage[]): Promise<void> {
    return insertMessages(this.#client, this.#name(ownTables.messages), messages)
  }

  async commit(): Promise<void> {
    await this.#client.query('commit')
  }

  async rollback(): Promise<void> {
    await this.#client.query('rollback')
  }

  refusalOf(error: unknown): Refusal | undefined {
    if (!isServerError(error)) return undefined
    return {
      isTransient: error.code === deadlock,
      isOfColumns: changedTable.has(error.code),
      isAboutData: isAboutData(error),
      result: refusalOf(error, this.#shown),
    }
  }

  #name(table: string): string {
    return `${this.#schema}.${quoted(table)}`
  }
}

/** A column is missing, a table is missing, or a column has another type. */
const changedTable = new Set(['42703', '42P01', '42804'])

const deadlock = '40P01'
