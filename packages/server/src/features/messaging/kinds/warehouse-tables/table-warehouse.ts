import type { SendResult } from '../kind.ts'
import type { Columns } from '../tables/columns.ts'
import type { RecordRow } from '../tables/rows.ts'
import type { KeptMessage, Removals } from '../tables/table-database.ts'
import type { NewColumn } from './column-comment.ts'
import type { ColumnRules } from './place-values.ts'

/** How rows are written. */
export interface WriteOptions {
  /** Whether the statement leaves out rows that a removal outdates. */
  respectsRemovals: boolean
}

/**
 * Removes rows. There is no transaction over several statements, and no lock: a removal is remembered before rows are
 * removed, and each statement that writes rows looks up removals itself. So does one that comes late.
 */
export interface WarehouseRemovals extends Omit<Removals, 'locksBefore' | 'forgetsWithRemovals' | 'lock' | 'find'> {
  /** Prepares a table that was created without removals. */
  prepareTable?(table: string, columns: Columns): Promise<void>
  /** By default, none: the statements that write rows look removals up. */
  find?: Removals['find']
}

/**
 * A warehouse in which records are rows, within one `send`. Each method is one request, or several that can end between
 * any two: what is repeated has no effect. Errors are `WarehouseError` or `OutboundError`.
 */
export interface TableWarehouse {
  readonly rules: ColumnRules
  /** Loads the columns of a table. Empty if there is none. */
  loadColumns(table: string): Promise<Columns>
  /**
   * Creates the schema, the dataset or the database of a group, unless it exists. Comes before its first table. If it
   * exists, the user needs no permission to create one.
   */
  createNamespace(): Promise<void>
  /** Creates a table with the columns of every table, unless it exists. */
  createTable(table: string): Promise<void>
  addColumns(table: string, columns: ReadonlyMap<string, NewColumn>): Promise<void>
  /** The columns that `addColumns` adds, as `loadColumns` finds them. */
  typeOf(column: NewColumn): string
  createMessages(): Promise<void>
  /** As `TableDatabase` says. Rows have their values by the names of columns. */
  mergeRecords(table: string, columns: Columns, rows: readonly RecordRow[], options: WriteOptions): Promise<void>
  markRecords(table: string, columns: Columns, rows: readonly RecordRow[], options: WriteOptions): Promise<void>
  readonly removals: WarehouseRemovals
  insertMessages(messages: readonly KeptMessage[]): Promise<void>
  /** Says what would keep tables from being created and written, without a change. */
  check(): Promise<SendResult>
}
