import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Backoff, backoffMs } from '../backoff.ts'
import type { ProjectDb, Tables } from '../db/index.ts'
import { LeaseLost } from './lease-lost.ts'
import { andSet, columnsOf, leaseEnd, type WorkTable } from './work-table.ts'

/** Changes of a row together with its lease: assignments in SQL, e.g. `position = 7, errors = null`. */
export type Change = RawBuilder<unknown>

/**
 * One row that this worker processes. Each method is one statement that changes the row only if its fence is still that
 * of this lease. Otherwise the method throws `LeaseLost`, and the transaction of the caller rolls back.
 */
export class Lease<Row extends object> {
  readonly of: WorkTable<Row>
  /** The row as it was claimed. */
  readonly row: Row
  readonly fence: string
  readonly #now: () => RawBuilder<Date>
  #over = false
  #lost = false

  constructor(of: WorkTable<Row>, row: Row, fence: string, now: () => RawBuilder<Date>) {
    this.of = of
    this.row = row
    this.fence = fence
    this.#now = now
  }

  /** Returns whether the row was released, finished, or lost. */
  get isOver(): boolean {
    return this.#over
  }

  get isLost(): boolean {
    return this.#lost
  }

  /** Stores progress and resets the count of failures. */
  async advance(tx: LeaseDb, set?: Change): Promise<void> {
    await this.#update(tx, this.#advanced(set))
  }

  /**
   * Returns the statement of `advance`, to be part of another one. It returns the row. If it returns none, call `lose`.
   */
  advancing(tx: LeaseDb, set?: Change): Change {
    return this.#updating(tx, this.#advanced(set))
  }

  /** Stores data without counting it as progress, e.g. what is about to be done. Renews the lease. */
  async note(tx: LeaseDb, set: Change): Promise<void> {
    await this.#update(tx, sql`lease_until = ${leaseEnd}, ${set}`)
  }

  /** Locks the row until the transaction ends. Returns its current content. */
  async lock(tx: LeaseDb): Promise<Row> {
    return this.#update(tx, sql`lease_until = ${leaseEnd}`)
  }

  /**
   * Postpones the row: it is due again after `ms`, or at `until`. With null, it is due only when something makes it
   * due.
   */
  async postpone(
    db: LeaseDb,
    { isFailure, set, ...wait }: ({ ms: number } | { until: Date | null }) & { isFailure: boolean; set?: Change },
  ): Promise<void> {
    const due = 'ms' in wait ? sql`${this.#now()} + ${wait.ms} * interval '1 ms'` : sql`${wait.until}::timestamptz`
    const failures = sql.ref(this.of.failures)
    await this.#giveBack(
      db,
      sql`${sql.ref(this.of.due)} = ${due}, ${failures} = work.${failures} + ${isFailure ? 1 : 0}${andSet(set)}`,
    )
  }

  /** Postpones the row after a failure, by the number of failures before it. */
  async postponeBy(db: LeaseDb, backoff: Backoff, random = Math.random()): Promise<void> {
    const failures = Number(this.row[this.of.failures])
    await this.postpone(db, { ms: backoffMs(backoff, failures, random), isFailure: true })
  }

  /** Releases the row unchanged: it is due for the next worker. */
  async release(db: LeaseDb): Promise<void> {
    await this.#giveBack(db, sql`${sql.ref(this.of.due)} = work.${sql.ref(this.of.due)}`)
  }

  /** Completes this round of recurring work: it is due at `due`, or with null when something makes it due. */
  async complete(tx: LeaseDb, { due, set }: { due: Date | null; set?: Change }): Promise<void> {
    await this.#giveBack(
      tx,
      sql`${sql.ref(this.of.due)} = ${due}::timestamptz, ${sql.ref(this.of.failures)} = 0${andSet(set)}`,
    )
  }

  /** Finishes work that does not recur: deletes the row. */
  async finish(tx: LeaseDb): Promise<void> {
    const { rows } = await sql`
      delete from ${sql.table(this.of.table)} as work where ${this.#isMine(tx)} returning 1`.execute(tx.sql)
    if (rows.length === 0) throw this.lose()
    this.#over = true
  }

  /** Marks the row as given back or deleted by a statement of the caller, which compared its fence. */
  settled(): void {
    this.#over = true
  }

  /** Marks the lease as lost. Returns the error to throw. */
  lose(): LeaseLost {
    this.#over = true
    this.#lost = true
    return new LeaseLost()
  }

  async #giveBack(db: LeaseDb, set: Change): Promise<void> {
    await this.#update(db, sql`fence = null, lease_until = null, ${set}`)
    this.#over = true
  }

  async #update(db: LeaseDb, set: Change): Promise<Row> {
    const { rows } = await this.#updating(db, set).execute(db.sql)
    if (!rows[0]) throw this.lose()
    return rows[0]
  }

  #updating(db: LeaseDb, set: Change): RawBuilder<Row> {
    return sql<Row>`update ${sql.table(this.of.table)} as work set ${set} where ${this.#isMine(db)} returning work.*`
  }

  #advanced(set: Change | undefined): Change {
    return sql`lease_until = ${leaseEnd}, ${sql.ref(this.of.failures)} = 0${andSet(set)}`
  }

  #isMine(db: LeaseDb): RawBuilder<unknown> {
    return sql`${isOneOf(db, [this])} and work.fence = ${this.fence}`
  }
}

/** Where leases are renewed: one project, or with the system role all of them. */
export type LeaseDb = ProjectDb | { sql: Kysely<Tables>; projectId?: never }

/**
 * Renews leases of one table in one statement. Marks those that belong to another worker as lost; the database decides,
 * not a clock of this node.
 */
export async function renewLeases<Row extends object>(db: LeaseDb, leases: readonly Lease<Row>[]): Promise<void> {
  const [first] = leases
  if (!first) return
  const { key, table } = first.of
  const fences = [...new Set(leases.map(({ fence }) => fence))]
  const { rows } = await sql<Row & { fence: string }>`
    update ${sql.table(table)} as work set lease_until = ${leaseEnd}
     where ${isOneOf(db, leases)} and work.fence = any(${fences}::uuid[])
    returning ${columnsOf(key)}, work.fence`.execute(db.sql)
  const name = (row: Row, fence: string) => [...key.map((column) => String(row[column])), fence].join(' ')
  const renewed = new Set(rows.map((row) => name(row, row.fence)))
  // A lease that was settled meanwhile is not lost.
  for (const lease of leases) if (!lease.isOver && !renewed.has(name(lease.row, lease.fence))) lease.lose()
}

/** Condition for the rows of some leases, by primary key. */
function isOneOf<Row extends object>({ projectId }: LeaseDb, leases: readonly Lease<Row>[]): RawBuilder<unknown> {
  const key = leases[0]?.of.key ?? []
  if (key[0] !== 'project_id') throw new Error('The key of work begins with its project.')
  const names = projectId === undefined ? key : key.slice(1)
  const keys = leases.map(({ row }) => sql`(${sql.join(names.map((name) => sql.val(row[name as keyof Row])))})`)
  const isOne = sql`(${columnsOf(names)}) in (${sql.join(keys)})`
  return projectId === undefined ? isOne : sql`work.project_id = ${projectId} and ${isOne}`
}
