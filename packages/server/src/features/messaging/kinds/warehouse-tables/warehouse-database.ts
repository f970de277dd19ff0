import type { Column, Columns, DeclaredTypes } from '../tables/columns.ts'
import type { RecordRow } from '../tables/rows.ts'
import type { KeptMessage, Refusal, Removals, TableDatabase } from '../tables/table-database.ts'
import { placeValues } from './place-values.ts'
import type { TableWarehouse } from './table-warehouse.ts'
import { creating, WarehouseError } from './warehouse-error.ts'

/**
 * The tables of a warehouse. There is no transaction over several statements: each statement merges by key and compares
 * message ids, so one that is repeated, or comes late, changes nothing.
 */
export class WarehouseDatabase implements TableDatabase {
  readonly removals: Removals
  readonly #warehouse: TableWarehouse
  /** Whether statements that write rows leave out what a removal outdates. */
  #respectsRemovals = false
  /** The name of the namespace, if it is created when it does not exist. */
  readonly #created: string | undefined

  /** @param created the namespace of a group */
  constructor(warehouse: TableWarehouse, created?: string) {
    this.#warehouse = warehouse
    this.#created = created
    const { removals } = warehouse
    this.removals = {
      locksBefore: 'rows',
      forgetsWithRemovals: true,
      exist: async () => {
        this.#respectsRemovals = false
        return removals.exist()
      },
      prepare: () => removals.prepare(),
      lock: async () => {
        // No lock: the table of removals is there, so statements can look it up.
        this.#respectsRemovals = true
      },
      find: async (records) => (await removals.find?.(records)) ?? new Map(),
      remember: (some) => removals.remember(some),
      remove: (table, rows) => removals.remove(table, rows),
      forget: (before) => removals.forget(before),
    }
  }

  async begin(): Promise<void> {
    // Each statement is a transaction.
  }

  needsChange(columns: Columns, rows: readonly RecordRow[]): boolean {
    return columns.size === 0 || placeValues(this.#warehouse.rules, columns, rows, new Map()).needed.size > 0
  }

  async prepareTable(table: string, rows: readonly RecordRow[], declared: DeclaredTypes): Promise<Columns> {
    const warehouse = this.#warehouse
    const found = await warehouse.loadColumns(table)
    if (found.size === 0) {
      await this.#createNamespace()
      await warehouse.createTable(table)
    } else await warehouse.removals.prepareTable?.(table, found)
    const columns = found.size === 0 ? await warehouse.loadColumns(table) : found
    const { needed } = placeValues(warehouse.rules, columns, rows, declared)
    if (needed.size === 0) return columns
    await warehouse.addColumns(table, needed)
    const added = [...needed].map(
      ([name, column]) => [name, { ...column, type: warehouse.typeOf(column), isField: true }] as const,
    )
    return new Map<string, Column>([...columns, ...added])
  }

  async prepareMessages(): Promise<void> {
    await this.#createNamespace()
    await this.#warehouse.createMessages()
  }

  async beginRows(): Promise<void> {
    // Each statement is a transaction.
  }

  mergeRecords(table: string, columns: Columns, rows: readonly RecordRow[]): Promise<void> {
    const placed = placeValues(this.#warehouse.rules, columns, rows, new Map())
    return this.#warehouse.mergeRecords(table, columns, placed.rows, { respectsRemovals: this.#respectsRemovals })
  }

  markRecords(table: string, rows: readonly RecordRow[], columns: Columns): Promise<void> {
    return this.#warehouse.markRecords(table, columns, rows, { respectsRemovals: this.#respectsRemovals })
  }

  insertMessages(messages: readonly KeptMessage[]): Promise<void> {
    return this.#warehouse.insertMessages(messages)
  }

  async commit(): Promise<void> {
    // Each statement is a transaction.
  }

  async rollback(): Promise<void> {
    // Nothing is undone: what was merged is merged again, without an effect.
  }

  refusalOf(error: unknown): Refusal | undefined {
    return error instanceof WarehouseError ? error : undefined
  }

  async #createNamespace(): Promise<void> {
    if (this.#created !== undefined) await creating(this.#created, () => this.#warehouse.createNamespace())
  }
}
