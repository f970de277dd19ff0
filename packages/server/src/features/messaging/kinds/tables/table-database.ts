import type { SendResult } from '../kind.ts'
import type { Columns, DeclaredTypes } from './columns.ts'
import type { RecordRow } from './rows.ts'

/** A message that is kept as it is. */
export interface KeptMessage {
  id: string
  kind: string
  eventType: string | undefined
  body: object
}

/** What an error means that a database answered with. */
export interface Refusal {
  /** Whether the same may succeed immediately, as when two senders wait for each other. */
  isTransient: boolean
  /** Whether somebody may have changed the table since its columns were loaded. */
  isOfColumns: boolean
  /** Whether other data would be stored. */
  isAboutData: boolean
  result: SendResult
}

/**
 * Removes rows, and remembers for each record that was removed the message that said so: an older one that arrives
 * later does not bring its row back.
 */
export interface Removals {
  /** Creates the table of what is remembered, unless it exists. */
  prepare(): Promise<void>
  /** Whether the table exists. */
  exist(): Promise<boolean>
  /** What a transaction takes the lock before: changes of tables where they are part of it, or else its rows. */
  readonly locksBefore: 'tables' | 'rows'
  /** Whether removals are forgotten only where others are remembered: each statement of a warehouse costs. */
  readonly forgetsWithRemovals: boolean
  /**
   * Waits for transactions that remove rows, or for all that write some: none sees half of what another does to a
   * record. No transaction waits for another before it, so nothing locks up.
   */
  lock(mode: 'shared' | 'exclusive'): Promise<void>
  /**
   * Returns the messages that removed records, by the keys of these records. May be empty where the statements that
   * write rows leave out what a removal outdates.
   */
  find(records: readonly KeyedRow[]): Promise<ReadonlyMap<string, string>>
  /** Remembers the removals of records, by their keys. The newest of each counts. Comes before the rows are removed. */
  remember(removals: readonly Removal[]): Promise<void>
  /** Removes the rows of records that are from an older message than that of the removal. */
  remove(table: string, rows: readonly RecordRow[]): Promise<void>
  /** Forgets some of the removals by messages that were created before a time. */
  forget(before: Date): Promise<void>
}

/** A row, and the key of its record. */
export interface KeyedRow {
  key: string
  row: RecordRow
}

export interface Removal {
  /** Of the record. */
  key: string
  /** Id of the message that removed it. */
  message: string
}

/**
 * A database in which records are rows. What is stored together goes through the methods in their order. Each throws
 * what the database or the connection says.
 */
export interface TableDatabase {
  /** Begins. Where a change of a table ends a transaction, the transaction begins with `beginRows`. */
  begin(timeoutMs: number): Promise<void>
  /** Whether rows need a column that the table does not have, or one of another type. */
  needsChange(columns: Columns, rows: readonly RecordRow[]): boolean
  /** Creates a table, and the columns that rows need. Returns the columns of the table afterward. */
  prepareTable(table: string, rows: readonly RecordRow[], declared: DeclaredTypes): Promise<Columns>
  /** Creates the table of messages that are not about records, or not only. */
  prepareMessages(): Promise<void>
  beginRows(): Promise<void>
  /** Undefined if deletions only mark rows. */
  readonly removals?: Removals
  /**
   * Merges rows into a table, at most one of each record. Fields that a row does not have are null; columns of the user
   * stay. A row takes the place of the stored one only if its message is newer, so nothing depends on the order in
   * which they arrive, or on how often.
   */
  mergeRecords(table: string, columns: Columns, rows: readonly RecordRow[]): Promise<void>
  /** Marks records as deleted, or records an event without the record. Their other columns stay. */
  markRecords(table: string, rows: readonly RecordRow[], columns: Columns): Promise<void>
  /** Keeps messages, each once. */
  insertMessages(messages: readonly KeptMessage[]): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
  /** Undefined if the error is not an answer of the database. */
  refusalOf(error: unknown): Refusal | undefined
}
