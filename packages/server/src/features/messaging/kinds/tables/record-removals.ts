import { hash } from 'node:crypto'
import type { SenderServices } from '../kind.ts'
import { cleanText } from './json-text.ts'
import type { NewestRows, RecordRow } from './rows.ts'
import type { KeyedRow, Removals } from './table-database.ts'

/** What a destination does with the row of a record that is deleted: `soft` marks it, `hard` removes it. */
export type Deletions = 'soft' | 'hard'

/** What is known of removals, as of the last transaction. */
export interface KnownRemovals {
  /** Whether there is something to take into account. */
  state: 'unknown' | 'none' | 'prepared'
  /** Once for each connection, removals are forgotten that no message can outdate any more. */
  isCleaned: boolean
}

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
  readonly #known: KnownRemovals
  #forgetBefore: Date | undefined

  constructor(
    removals: Removals,
    {
      known,
      deletions,
      messagesKeptFrom,
    }: { known: KnownRemovals; deletions: Deletions } & Pick<SenderServices, 'messagesKeptFrom'>,
  ) {
    this.#removals = removals
    this.#known = known
    this.#removesRecords = deletions === 'hard'
    this.#keptFrom = messagesKeptFrom
  }

  /** Locks others out where tables change in the transaction. Comes first in it. */
  async begin(tables: Tables): Promise<void> {
    if (tables.length === 0 || this.#known.state === 'none') return
    if (this.#known.state === 'unknown' && !this.#removesRecords && !(await this.#removals.exist())) {
      this.#known.state = 'none'
      return
    }
    const isForgetting = !this.#known.isCleaned && (!this.#removals.forgetsWithRemovals || hasRemovals(tables))
    this.#forgetBefore = isForgetting ? await this.#keptFrom() : undefined
    if (this.#removals.locksBefore === 'tables') await this.#lock(tables)
  }

  /** Prepares the table of removals. Comes after the changes of other tables. */
  async prepare(tables: Tables): Promise<void> {
    if (tables.length === 0 || this.#known.state !== 'unknown') return
    await this.#removals.prepare()
    this.#known.state = 'prepared'
  }

  /** Forgets what is known of the table, which a rollback may have taken back, or a user. */
  reset(): void {
    this.#known.state = 'unknown'
  }

  /** Removes rows, and returns those to write: without what a removal outdates. Comes before rows are written. */
  async apply(tables: Tables): Promise<Tables> {
    if (tables.length === 0 || this.#known.state !== 'prepared') return tables
    const removals = this.#removals
    if (removals.locksBefore === 'rows') await this.#lock(tables)
    const keyed = tables.map(([table, rows]) => [table, mapRows(rows, withKeys)] as const)
    const records = keyed.flatMap(([, rows]) => Object.values(rows).flat())
    const known = await removals.find([...new Map(records.map((record) => [record.key, record])).values()])
    const isNewer = ({ key, row }: KeyedRow) => (known.get(key) ?? '') < row.message
    // What a statement of a warehouse left undone is done by the same message again.
    const isNotOlder = ({ key, row }: KeyedRow) => (known.get(key) ?? '') <= row.message
    const newer = keyed.map(
      ([table, { removed, merged, marked }]) =>
        [
          table,
          {
            removed: removed.filter(isNotOlder),
            merged: merged.filter(isNewer),
            marked: marked.filter(isNewer),
          },
        ] as const,
    )
    const remembered = newer.flatMap(([, { removed }]) => removed)
    if (remembered.length > 0)
      await removals.remember(remembered.map(({ key, row }) => ({ key, message: row.message })))
    for (const [table, { removed }] of newer) if (removed.length > 0) await removals.remove(table, rowsOf(removed))
    if (this.#forgetBefore) {
      await removals.forget(this.#forgetBefore)
      this.#forgetBefore = undefined
      this.#known.isCleaned = true
    }
    return newer.map(([table, rows]) => [table, mapRows(rows, rowsOf)] as const)
  }

  async #lock(tables: Tables): Promise<void> {
    const isRemoving = this.#forgetBefore !== undefined || hasRemovals(tables)
    await this.#removals.lock(isRemoving ? 'exclusive' : 'shared')
  }
}

function hasRemovals(tables: Tables): boolean {
  return tables.some(([, { removed }]) => removed.length > 0)
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
