import { type RawBuilder, sql } from 'kysely'

/**
 * Declares a table whose rows are work. Besides the columns that the declaration names, the table has `fence` (uuid)
 * and `lease_until` (timestamptz), both null while nobody works on the row. `Row` is the type of a row.
 */
export interface WorkTable<Row extends object> {
  table: string
  /** The primary key; `project_id` comes first. */
  key: readonly (keyof Row & string)[]
  /** When the row is due; null or a later time while it is not. */
  due: keyof Row & string
  /** Counts failures since the last progress. */
  failures: keyof Row & string
  /**
   * What else a row needs to be due: the condition of the partial index on `due`, so that the planner uses that index.
   * It names the row `work`, e.g. `work.gather_until is null`.
   */
  eligible?: RawBuilder<unknown>
}

/** What `Work.dispatch` needs of a table: nobody leases its rows. */
export type DispatchTable<Row extends object> = Pick<WorkTable<Row>, 'table' | 'key' | 'due'>

/**
 * How long a worker keeps a row that it does not renew, in milliseconds. Work of a process that was killed waits at
 * most this long, and up to a second for the poll that finds it. A worker renews three times as often.
 */
export const leaseMs = 12_000

/** End of a lease that begins now, by the clock of the database. */
export const leaseEnd = sql<Date>`now() + ${leaseMs} * interval '1 ms'`

/** Names columns of the row, e.g. `work.project_id, work.id`. */
export function columnsOf(names: readonly string[], row = 'work'): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(`${row}.${name}`)))
}

/** Compares the keys of two rows, e.g. `work.id = due.id`. */
export function sameKey(key: readonly string[], other: string): RawBuilder<unknown> {
  return sql.join(
    key.map((name) => sql`${sql.ref(`work.${name}`)} = ${sql.ref(`${other}.${name}`)}`),
    sql` and `,
  )
}

/** What an update sets besides; nothing when absent. */
export function andSet(set: RawBuilder<unknown> | undefined): RawBuilder<unknown> {
  return set ? sql`, ${set}` : sql``
}
