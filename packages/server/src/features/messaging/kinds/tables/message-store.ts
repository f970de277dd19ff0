import type { SenderServices, SendResult } from '../kind.ts'
import { type Columns, type DeclaredTypes, type StoredType, storedTypeOf, type Values } from './columns.ts'
import { bodyWithoutValues } from './kept-body.ts'
import type { ReadMessage } from './read-rows.ts'
import { type Deletions, type KnownRemovals, RecordRemovals } from './record-removals.ts'
import { columnName, type MessageRows, newestByTable, type RecordRow } from './rows.ts'
import { storeEach } from './store-each.ts'
import type { Refusal, TableDatabase } from './table-database.ts'

/** How long a statement may take, and until when records are stored one by one. */
interface Limits {
  timeoutMs: number
  until: number
}

/** What is known of tables, as of the last transaction. */
export interface KnownTables {
  /** Columns by table, as far as they were loaded. */
  tables: Map<string, Columns>
  /** Whether the table of messages is there. */
  hasMessages: boolean
  removals: KnownRemovals
}

/** Returns what is known at first: nothing. */
export function nothingKnown(): KnownTables {
  return { tables: new Map(), hasMessages: false, removals: { state: 'unknown', isCleaned: false } }
}

/** Stores messages in the tables of a database, over one connection. */
export class MessageStore {
  readonly #database: TableDatabase
  readonly #fieldTypes: SenderServices['fieldTypes']
  readonly #known: KnownTables
  readonly #removesRecords: boolean
  readonly #removals: RecordRemovals | undefined

  /**
   * @param options.known shared by stores of the same tables, one after the other
   * @param options.deletions without an effect where the database removes no rows
   */
  constructor(
    database: TableDatabase,
    services: Pick<SenderServices, 'fieldTypes' | 'messagesKeptFrom'>,
    { known = nothingKnown(), deletions = 'soft' }: { known?: KnownTables; deletions?: Deletions } = {},
  ) {
    this.#database = database
    this.#fieldTypes = services.fieldTypes
    this.#known = known
    this.#removesRecords = deletions === 'hard'
    this.#removals =
      database.removals && new RecordRemovals(database.removals, { ...services, known: known.removals, deletions })
  }

  /**
   * Stores messages together. If the data of one cannot be stored, stores them one by one, and of a message that cannot
   * be stored the records that can. After half of the time, messages that were not tried one by one wait for the next
   * attempt, which does not count.
   *
   * @throws what the connection says
   */
  async storeAll(parts: readonly ReadMessage[], timeoutMs: number): Promise<SendResult[]> {
    const until = performance.now() + timeoutMs / 2
    const refusal = await this.#refusalOf(parts, timeoutMs)
    if (refusal === undefined) return parts.map(() => ({ outcome: 'delivered' }))
    if (!refusal.isAboutData) return parts.map(() => refusal.result)
    const [only] = parts
    if (only && parts.length === 1) return [await this.#storeRecords(only, refusal, { timeoutMs, until })]
    const results: SendResult[] = []
    for (const part of parts)
      results.push(
        results.length > 0 && performance.now() > until
          ? { outcome: 'cancelled' }
          : await this.#storeOne(part, { timeoutMs, until }),
      )
    return results
  }

  async #storeOne(part: ReadMessage, limits: Limits): Promise<SendResult> {
    const refusal = await this.#refusalOf([part], limits.timeoutMs)
    if (refusal === undefined) return { outcome: 'delivered' }
    return refusal.isAboutData ? this.#storeRecords(part, refusal, limits) : refusal.result
  }

  /** Stores the records of a message that can be stored. Without any, the message fails as a whole. */
  async #storeRecords(part: ReadMessage, refusal: Refusal, { timeoutMs, until }: Limits): Promise<SendResult> {
    const { records, isKept } = part.rows
    if (records.length + (isKept ? 1 : 0) < 2) return refusal.result
    const store = (rows: MessageRows) => this.#refusalOf([{ ...part, rows }], timeoutMs)
    if (isKept) {
      const kept = await store({ records: [], isKept })
      if (kept) return kept.result
    }
    const { stored, rejected } = await storeEach(records, (some) => store({ records: [...some], isKept: false }), {
      refusal,
      until,
    })
    if (stored > 0 || isKept) return { outcome: 'delivered', rejected }
    const isRefused = rejected.every(({ outcome }) => outcome === 'refused')
    return { ...refusal.result, outcome: isRefused ? 'refused' : 'retry' }
  }

  /** Stores messages together. Returns what the database refused. @throws what the connection says */
  async #refusalOf(parts: readonly ReadMessage[], timeoutMs: number): Promise<Refusal | undefined> {
    try {
      await this.#storeAgain(parts, timeoutMs)
      return undefined
    } catch (error) {
      const refusal = this.#database.refusalOf(error)
      if (refusal === undefined) throw error
      return refusal
    }
  }

  /** Stores messages together, once more if that may help. */
  async #storeAgain(parts: readonly ReadMessage[], timeoutMs: number): Promise<void> {
    const isKnown = this.#known.tables.size > 0
    try {
      await this.#store(parts, timeoutMs)
    } catch (error) {
      const refusal = this.#database.refusalOf(error)
      if (!refusal?.isTransient && !(isKnown && refusal?.isOfColumns)) throw error
      await this.#store(parts, timeoutMs)
    }
  }

  async #store(parts: readonly ReadMessage[], timeoutMs: number): Promise<void> {
    const database = this.#database
    const removesRecords = this.#removesRecords
    const kept = parts
      .filter(({ rows }) => rows.isKept)
      .map(({ message, body }) => ({ ...message, body: removesRecords ? bodyWithoutValues(body) : body }))
    // Each once: warehouses enforce no key.
    const messages = [...new Map(kept.map((message) => [message.id, message])).values()]
    const tables = [...newestByTable(parts, { removesRecords })]
    await database.begin(timeoutMs)
    // Known once they are committed: a rollback may take the columns back.
    const prepared = new Map<string, Columns>()
    try {
      await this.#removals?.begin(tables)
      for (const [table, rows] of tables) prepared.set(table, await this.#columnsFor(table, rows.merged))
      if (kept.length > 0 && !this.#known.hasMessages) await database.prepareMessages()
      await this.#removals?.prepare(tables)
      await database.beginRows()
      for (const [table, { merged, marked }] of (await this.#removals?.apply(tables)) ?? tables) {
        if (merged.length > 0) await database.mergeRecords(table, prepared.get(table) ?? new Map(), merged)
        if (marked.length > 0) await database.markRecords(table, marked, prepared.get(table) ?? new Map())
      }
      if (messages.length > 0) await database.insertMessages(messages)
      await database.commit()
      for (const [table, columns] of prepared) this.#known.tables.set(table, columns)
      this.#known.hasMessages ||= kept.length > 0
    } catch (error) {
      this.#known.tables = new Map()
      this.#known.hasMessages = false
      this.#removals?.reset()
      await database.rollback().catch(() => undefined)
      throw error
    }
  }

  async #columnsFor(table: string, rows: readonly RecordRow[]): Promise<Columns> {
    const known = this.#known.tables.get(table)
    if (known !== undefined && !this.#database.needsChange(known, rows)) return known
    return this.#database.prepareTable(table, rows, await this.#declaredTypes(rows))
  }

  /** What providers say of the fields of rows. Of two that disagree, the first counts. */
  async #declaredTypes(rows: readonly RecordRow[]): Promise<DeclaredTypes> {
    const objects = new Map(rows.map((row) => [JSON.stringify([row.installation, row.object]), row]))
    const found = await this.#fieldTypes(
      [...objects.values()]
        .filter(({ installation }) => installation !== '')
        .slice(0, objectsMax)
        .map(({ installation, object }) => ({ installation, object })),
    )
    const declared = new Map<string, StoredType>()
    for (const { field, valueType } of found) {
      const [name, type] = [columnName(field), storedTypeOf(valueType)]
      if (type !== undefined && !declared.has(name)) declared.set(name, type)
    }
    return declared
  }
}

/** Objects whose types are looked up for a new column: those of some installations speak for the others. */
const objectsMax = 20

/** The values of rows that have some. */
export function valuesOf(rows: readonly RecordRow[]): Values[] {
  return rows.map(({ values = {} }) => values)
}
