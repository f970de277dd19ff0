import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { NewId, ProjectDb, Tables } from '../db/index.ts'
import { Lease } from './lease.ts'
import { andSet, columnsOf, type DispatchTable, leaseEnd, sameKey, type WorkTable } from './work-table.ts'

/**
 * Work that is kept in tables and survives every process, such as reads and writes. This is the one implementation of
 * who works on a row, for how long, and what happens when that worker dies.
 *
 * A row *waits* until its due time. Once it is *due*, any worker may claim it. A claim writes a new fence into the row
 * and a lease that ends soon: the row is *leased*. The worker renews the lease for as long as it works (`holdLeases`),
 * and every change that it commits is conditional on its fence. It ends in one of four ways: it finishes the row, which
 * deletes it; it completes this round, and the row waits for the next one; it postpones the row, by back-off after a
 * failure; or it gives the row back as it is, because its process is stopping.
 *
 * A worker that dies does none of these. Its lease runs out, and the row is *orphaned*, which is the same as due: the
 * next claim writes another fence. Should the first worker only have been slow, each of its changes now fails with
 * `LeaseLost`, and its transaction rolls back. So of two workers that both think they have a row, one can commit. What
 * a worker did outside the database is not undone: whoever calls a provider notes that first (`Lease.note`).
 *
 * | State    | due time | fence | lease_until | Leaves it by                                    |
 * |----------|----------|-------|-------------|-------------------------------------------------|
 * | waiting  | later    | null  | null        | time                                            |
 * | due      | passed   | null  | null        | `claim` → leased                                |
 * | leased   | passed   | set   | later       | `finish` → deleted; `complete`, `postpone` →    |
 * |          |          |       |             | waiting; `release` → due; death → orphaned      |
 * | orphaned | passed   | set   | passed      | `claim` → leased                                |
 * | resting  | null     | null  | null        | whoever sets a due time (work that comes again) |
 *
 * Jobs do the work, but no job is needed to remember it. The change that makes a row due enqueues a job; a tick asks
 * `listDue` every second or so and enqueues jobs for what is due and not leased. So a lost job costs a second, and an
 * orphan its lease. The queue keeps one waiting job per key.
 *
 * Work without a lease: where a lock on the row excludes others for as long as it takes (renewals of credentials), the
 * tick calls `dispatch`. It moves the due time ahead, so that a job that is lost is enqueued again.
 *
 * All times are the database's: leases compare with its `now()`, due times with `now`, which is the same but for tests
 * that shift it. The clocks of nodes may differ by hours without work being done twice or too early.
 */
export class Work {
  /** The present that due times are compared with, as SQL. */
  readonly now: () => RawBuilder<Date>
  readonly #newId: NewId

  constructor({ newId, now = () => sql<Date>`now()` }: { newId: NewId; now?: () => RawBuilder<Date> }) {
    this.#newId = newId
    this.now = now
  }

  /**
   * Claims due rows of a project that nobody works on, at most `limit`. Two workers that claim at the same time get
   * different rows. All rows of one claim share a fence.
   *
   * `where`, `order` and `set` name the row `work`.
   */
  async claim<Row extends object>(
    db: ProjectDb,
    of: WorkTable<Row>,
    {
      where,
      order,
      limit,
      set,
    }: { where: RawBuilder<unknown>; order: RawBuilder<unknown>; limit: number; set?: RawBuilder<unknown> },
  ): Promise<Lease<Row>[]> {
    const fence = this.#newId()
    const { rows } = await sql<Row>`
      with due as (
        select ${columnsOf(of.key)} from ${sql.table(of.table)} as work
         where work.project_id = ${db.projectId} and ${where} and ${this.#isClaimable(of)}
         order by ${order} limit ${limit} for no key update skip locked
      )
      update ${sql.table(of.table)} as work set fence = ${fence}, lease_until = ${leaseEnd}${andSet(set)}
        from due where ${sameKey(of.key, 'due')}
      returning work.*`.execute(db.sql)
    return rows.map((row) => this.leaseOf(of, row, fence))
  }

  /** Claims the first due row that nobody works on; undefined when there is none. */
  async claimOne<Row extends object>(
    db: ProjectDb,
    of: WorkTable<Row>,
    claim: { where: RawBuilder<unknown>; order?: RawBuilder<unknown>; set?: RawBuilder<unknown> },
  ): Promise<Lease<Row> | undefined> {
    const [lease] = await this.claim(db, of, { order: columnsOf(of.key), ...claim, limit: 1 })
    return lease
  }

  /** The lease of a row that its worker inserted with this fence, and `leaseEnd` as the end of its lease. */
  leaseOf<Row extends object>(of: WorkTable<Row>, row: Row, fence: string): Lease<Row> {
    return new Lease(of, row, fence, this.now)
  }

  /**
   * Lists work of all projects that is due and that nobody works on, the oldest first, for a tick that enqueues jobs.
   * Changes nothing. Returns the named columns, each combination once, of the first `limit` rows.
   *
   * @param graceMs leaves out what became due this short a time ago: it has the job that was enqueued with it
   */
  async listDue<Row extends object, Column extends keyof Row & string>(
    system: Kysely<Tables>,
    of: WorkTable<Row>,
    { columns, limit, graceMs = 1_000 }: { columns: readonly Column[]; limit: number; graceMs?: number },
  ): Promise<Pick<Row, Column>[]> {
    const { rows } = await sql<Pick<Row, Column>>`
      select distinct ${columnsOf(columns, 'due')}
        from (select ${columnsOf(columns)} from ${sql.table(of.table)} as work
               where ${this.#isClaimable(of, graceMs)}
               order by work.${sql.ref(of.due)} limit ${limit}) as due`.execute(system)
    return rows
  }

  /**
   * Takes rows of all projects that are due, for a tick that enqueues a job for each in the same transaction. Each is
   * due again after `againMs`, unless its job sets another time; or it changes as `set` says, so that it is no longer
   * due. `set` names the row `work`. Returns the named columns.
   */
  async dispatch<Row extends object, Column extends keyof Row & string>(
    tx: Kysely<Tables>,
    of: DispatchTable<Row>,
    {
      columns,
      limit,
      ...then
    }: { columns: readonly Column[]; limit: number } & ({ againMs: number } | { set: RawBuilder<unknown> }),
  ): Promise<Pick<Row, Column>[]> {
    const due = sql.ref(of.due)
    const set = 'set' in then ? then.set : sql`${due} = ${this.now()} + ${then.againMs} * interval '1 ms'`
    const { rows } = await sql<Pick<Row, Column>>`
      with due as (
        select ${columnsOf(of.key)} from ${sql.table(of.table)} as work
         where work.${due} <= ${this.now()} order by work.${due} limit ${limit} for no key update skip locked
      )
      update ${sql.table(of.table)} as work set ${set}
        from due where ${sameKey(of.key, 'due')}
      returning ${columnsOf(columns)}`.execute(tx)
    return rows
  }

  #isClaimable<Row extends object>({ due, eligible }: WorkTable<Row>, graceMs = 0): RawBuilder<unknown> {
    const time = graceMs === 0 ? this.now() : sql`${this.now()} - ${graceMs} * interval '1 ms'`
    return sql`${eligible ?? sql`true`} and work.${sql.ref(due)} <= ${time}
           and (work.lease_until is null or work.lease_until <= now())`
  }
}
