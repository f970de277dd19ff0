import type { Client } from 'pg'
import type { OutgoingMessage, SendResult } from '../kind.ts'
import { insertMessages, markRecords, mergeRecords } from './merge.ts'
import { isServerError } from './postgres-connection.ts'
import { refusalOf } from './refusal.ts'
import type { MessageRows, RecordRow } from './rows.ts'
import { type Columns, loadColumns, missingColumns, prepareMessages, prepareTable, quoted } from './table.ts'

/** A message, with what is stored of it. */
export interface ParsedMessage {
  message: OutgoingMessage
  body: object
  rows: MessageRows
}

/** Stores messages in the tables of a schema, over one connection. */
export class MessageStore {
  readonly #client: Client
  readonly #schema: string
  readonly #shown: string
  /** Columns by table, as far as they were loaded. */
  #tables = new Map<string, Columns>()

  /** @param shown host and port of the server, for people */
  constructor(client: Client, { schema, shown }: { schema: string; shown: string }) {
    this.#client = client
    this.#schema = quoted(schema)
    this.#shown = shown
  }

  /** Stores messages in one transaction. @throws what the server or the connection says */
  async #store(parts: readonly ParsedMessage[], timeoutMs: number): Promise<void> {
    await this.#client.query(
      `begin; set local statement_timeout = ${Math.ceil(timeoutMs)}; set local lock_timeout = 10000`,
    )
    // Known once they are committed: a rollback takes the columns back.
    const prepared = new Map<string, Columns>()
    try {
      for (const [name, rows] of byTable(parts)) {
        const table = `${this.#schema}.${quoted(name)}`
        const stored = rows.filter(({ values }) => values !== undefined)
        const values = stored.map((row) => row.values ?? {})
        let columns = this.#tables.get(table)
        if (columns === undefined || missingColumns(columns, values).size > 0) {
          columns = await prepareTable(this.#client, table, values)
          prepared.set(table, columns)
        }
        if (stored.length > 0) await mergeRecords(this.#client, table, columns, stored)
        const marked = rows.filter((row) => row.values === undefined)
        if (marked.length > 0) await markRecords(this.#client, table, marked)
      }
      const kept = parts.filter(({ rows }) => rows.isKept)
      if (kept.length > 0) {
        const table = `${this.#schema}._mortise_messages`
        if ((await loadColumns(this.#client, table)).size === 0) await prepareMessages(this.#client, table)
        await insertMessages(
          this.#client,
          table,
          kept.map(({ message, body }) => ({ ...message, body })),
        )
      }
      await this.#client.query('commit')
      for (const [table, columns] of prepared) this.#tables.set(table, columns)
    } catch (error) {
      this.#tables = new Map()
      await this.#client.query('rollback').catch(() => undefined)
      throw error
    }
  }

  /** Stores messages together, once more if somebody changed a table since its columns were loaded. */
  async #storeAgain(parts: readonly ParsedMessage[], timeoutMs: number): Promise<void> {
    const isKnown = this.#tables.size > 0
    try {
      await this.#store(parts, timeoutMs)
    } catch (error) {
      if (!isKnown || !isServerError(error) || !changedTable.has(error.code)) throw error
      await this.#store(parts, timeoutMs)
    }
  }

  /** Stores messages together, or one by one if the data of one cannot be stored. */
  async storeAll(parts: readonly ParsedMessage[], timeoutMs: number): Promise<SendResult[]> {
    try {
      await this.#storeAgain(parts, timeoutMs)
      return parts.map(() => ({ outcome: 'delivered' }))
    } catch (error) {
      if (!isServerError(error)) throw error
      if (parts.length === 1 || !isAboutData(error)) return parts.map(() => refusalOf(error, this.#shown))
    }
    const results: SendResult[] = []
    for (const part of parts) results.push(...(await this.storeAll([part], timeoutMs)))
    return results
  }
}

/** A column is missing, a table is missing, or a column has another type. */
const changedTable = new Set(['42703', '42P01', '42804'])

/** The newest row of each record, by table. */
function byTable(parts: readonly ParsedMessage[]): Map<string, RecordRow[]> {
  const newest = new Map<string, Map<string, RecordRow>>()
  for (const { rows } of parts)
    for (const row of rows.records) {
      const table = newest.get(row.table) ?? new Map<string, RecordRow>()
      newest.set(row.table, table)
      const key = JSON.stringify([row.group, row.provider, row.workspace, row.id])
      const known = table.get(key)
      if (known === undefined || known.message <= row.message) table.set(key, row)
    }
  return new Map([...newest].map(([table, rows]) => [table, [...rows.values()]]))
}

/** Whether other data would be stored: class 22 and 23, and what a trigger of the user raises (P0001). */
function isAboutData({ code }: { code: string }): boolean {
  return /^(?:22|23|P0)/.test(code)
}
