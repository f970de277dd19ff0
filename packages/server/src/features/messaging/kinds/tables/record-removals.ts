import { hash } from 'node:crypto'
import type { SenderServices } from '../kind.ts'
import { cleanText } from './json-text.ts'
import type { NewestRows, RecordRow } from './rows.ts'
import type { Removals } from './table-database.ts'

/** What a destination does with the row of a record that is deleted: `soft` marks it, `hard` removes it. */
export type Deletions = 'soft' | 'hard'

type Tables = readonly (readonly [string, NewestRows])[]

/**
 * Removes the rows of deleted records, and leaves out what older messages say of them.
 *
 * A row says which message it is from, so an older one has no effect. A row that is removed says nothing any more:
 * without a memory, an older message that is retried, redriven or replayed would bring it back. So each removal leaves
 * the id of its message in a table, under a hash of the key of the record: no value of the record stays. What is there
 * counts for `soft`, too, after a change of the setting.
 *
 * A transaction that removes rows and one that writes older ones must not overlap: neither would see what the other
 * does. Those that write share a lock, and one that removes has it alone. What is remembered is read after that.
 */
export class RecordRemovals {
  readonly #removals: Removals
  readonly #removesRecords: boolean
  readonly #keptFrom: SenderServices['messagesKeptFrom']
  /** Whether there is something to take into account, as of the last transaction. */
  #state: 'unknown' | 'none' | 'prepared' = 'unknown'
  /** Once for each connection, removals are forgotten that no message can outdate any more. */
  #isCleaned = false
  #forgetBefore: Date | undefined

  constructor(
    removals: Removals,
    { deletions, messagesKeptFrom }: { deletions: Deletions } & Pick<SenderServices, 'messagesKeptFrom'>,
  ) {
    this.#removals = removals
    this.#removesRecords = deletions === 'hard'
    this.#keptFrom = messagesKeptFrom
  }

  /** Locks others out where tables change in the transaction. Comes first in it. */
  async begin(tables: Tables): Promise<void> {
    if (tables.length === 0 || this.#state === 'none') return
    if (this.#state === 'unknown' && !this.#removesRecords && !(await this.#removals.exist())) {
      this.#state = 'none'
      return
    }
    if (!this.#isCleaned) this.#forgetBefore = await this.#keptFrom()
    if (this.#removals.locksBefore === 'tables') await this.#lock(tables)
  }

  /** Prepares the table of removals. Comes after the changes of other tables. */
  async prepare(tables: Tables): Promise<void> {
    if (tables.length === 0 || this.#state !== 'unknown') return
    await this.#removals.prepare()
    this.#state = 'prepared'
  }

  /** Forgets what is known of the table, which a rollback may have taken back, or a user. */
  reset(): void {
    this.#state = 'unknown'
  }

  /** Removes rows, and returns those to write: without what a removal outdates. Comes before rows are written. */
  async apply(tables: Tables): Promise<Tables> {
    if (tables.length === 0 || this.#state !== 'prepared') return tables
    const removals = this.#removals
    if (removals.locksBefore === 'rows') await this.#lock(tables)
    if (this.#forgetBefore) await removals.forget(this.#forgetBefore)
    this.#forgetBefore = undefined
    this.#isCleaned = true
    const keyed = tables.map(([table, rows]) => [table, mapRows(rows, withKeys)] as const)
    const keys = keyed.flatMap(([, rows]) => Object.values(rows).flat()).map(({ key }) => key)
    const known = await removals.find([...new Set(keys)])
    const isNewer = ({ key, row }: KeyedRow) => (known.get(key) ?? '') < row.message
    const newer = keyed.map(([table, rows]) => [table, mapRows(rows, (some) => some.filter(isNewer))] as const)
    for (const [table, { removed }] of newer) if (removed.length > 0) await removals.remove(table, rowsOf(removed))
    const remembered = newer.flatMap(([, { removed }]) => removed)
    if (remembered.length > 0)
      await removals.remember(remembered.map(({ key, row }) => ({ key, message: row.message })))
    return newer.map(([table, rows]) => [table, mapRows(rows, rowsOf)] as const)
  }

  async #lock(tables: Tables): Promise<void> {
    const isRemoving = this.#forgetBefore !== undefined || tables.some(([, { removed }]) => removed.length > 0)
    await this.#removals.lock(isRemoving ? 'exclusive' : 'shared')
  }
}

interface KeyedRow {
  key: string
  row: RecordRow
}

type Lists<T> = Record<keyof NewestRows, T[]>

function mapRows<T, U>({ removed, merged, marked }: Lists<T>, change: (rows: T[]) => U[]): Lists<U> {
  return { removed: change(removed), merged: change(merged), marked: change(marked) }
}

const withKeys = (rows: readonly RecordRow[]): KeyedRow[] => rows.map((row) => ({ key: removalKey(row), row }))
const rowsOf = (rows: readonly KeyedRow[]): RecordRow[] => rows.map(({ row }) => row)

/** Returns the hash of the key of a record: 64 hexadecimal digits. */
export function removalKey({ table, group, provider, workspace, id }: RecordRow): string {
  return hash('sha256', JSON.stringify([table, group, provider, workspace, id].map(cleanText)))
}
