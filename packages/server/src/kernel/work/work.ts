import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { NewId, ProjectDb, Tables } from '../db/index.ts'
import { Lease } from './lease.ts'
import { andSet, columnsOf, type DispatchTable, leaseEnd, sameKey, type WorkTable } from './work-table.ts'

/** What to claim: conditions and order of the rows, each naming the row `work`, and what the claim changes. */
export interface Claim {
  where: RawBuilder<unknown>
  order: RawBuilder<unknown>
  limit: number
  set?: RawBuilder<unknown>
}

/**
 * Work that is stored in tables and survives every process, such as reads and writes. Only this module decides who
 * works on a row, for how long, and what happens when that worker dies.
 *
 * A row *waits* until its due time. Once it is *due*, any worker may claim it. A claim writes a new fence into the row
 * and a lease that ends soon: the row is *leased*. The worker renews the lease for as long as it works (`holdLeases`),
 * and every change that it commits is conditional on its fence. It ends in one of four ways:
 *
 * - It finishes the row, which deletes it.
 * - It completes this round, and the row waits for the next one.
 * - It postpones the row, by back-off after a failure.
 * - It releases the row unchanged, because its process is stopping.
 *
 * A worker that dies does none of these. Its lease expires, and the row is *orphaned*, which is the same as due: the
 * next claim writes another fence. If the first worker was only slow, each of its changes now fails with `LeaseLost`,
 * and its transaction rolls back. So when two workers both act on a row, only one can commit. What a worker did outside
 * the database is not undone: store the intent before you call a provider (`Lease.note`).
 *
 * The states of a row:
 *
 * - Waiting: the due time is in the future, fence and `lease_until` are null. Time makes it due.
 * - Due: the due time has passed, fence and `lease_until` are null. `claim` leases it.
 * - Leased: the due time has passed, the fence is set, `lease_until` is in the future. `finish` deletes it, `complete`
 *   and `postpone` make it wait, `release` makes it due. When its worker dies, it becomes orphaned.
 * - Orphaned: like leased, but `lease_until` has passed. `claim` leases it.
 * - Resting: all three are null. Recurring work rests until a change sets a due time.
 *
 * Reads are claimed by loops of each node (`startClaimLoops`), without jobs: their number has no limit, and the queue
 * costs more the longer it is.
 *
 * Jobs do all other work, but no job is needed to remember it. The change that makes a row due enqueues a job. A tick
 * calls `listDue` every second or so and enqueues jobs for what is due and not leased. So a lost job costs a second,
 * and an orphan its lease. The queue keeps one waiting job per key.
 *
 * Work without a lease: where a lock on the row excludes others for as long as it takes (renewals of credentials), the
 * tick calls `dispatch`. It moves the due time ahead, so that a job that is lost is enqueued again.
 *
 * All times are the database's. Leases compare with its `now()`, due times with `now`, which differs only in tests that
 * shift it. The clocks of nodes may differ by hours without work being done twice or too early.
 */
export class Work {
  /** SQL for the current time that due times are compared with. */
  readonly now: () => RawBuilder<Date>
  readonly #newId: NewId

  constructor({ newId, now = () => sql<Date>`now()` }: { newId: NewId; now?: () => RawBuilder<Date> }) {
    this.#newId = newId
    this.now = now
  }

  /**
   * Claims due rows of a project that are not leased, at most `limit`. Two workers that claim at the same time get
   * different rows. All rows of one claim share a fence.
   *
   * `where`, `order` and `set` name the row `work`.
   */
  async claim<Row extends object>(db: ProjectDb, of: WorkTable<Row>, claim: Claim): Promise<Lease<Row>[]> {
    return this.#claim(db.sql, of, { ...claim, where: sql`work.project_id = ${db.projectId} and ${claim.where}` })
  }

  /** Claims due rows of all projects, like `claim`, for a worker that needs no job. */
  async claimAll<Row extends object>(system: Kysely<Tables>, of: WorkTable<Row>, claim: Claim): Promise<Lease<Row>[]> {
    return this.#claim(system, of, claim)
  }

  async #claim<Row extends object>(
    db: Kysely<Tables>,
    of: WorkTable<Row>,
    { where, order, limit, set }: Claim,
  ): Promise<Lease<Row>[]> {
    const fence = this.#newId()
    const { rows } = await sql<Row>`
      with due as (
        select ${columnsOf(of.key)} from ${sql.table(of.table)} as work
         where ${where} and ${this.#isClaimable(of)}
         order by ${order} limit ${limit} for no key update skip locked
      )
      update ${sql.table(of.table)} as work set fence = ${fence}, lease_until = ${leaseEnd}${andSet(set)}
        from due where ${sameKey(of.key, 'due')}
      returning work.*`.execute(db)
    return rows.map((row) => this.leaseOf(of, row, fence))
  }

  /** Claims the first due row that is not leased; undefined when there is none. */
  async claimOne<Row extends object>(
    db: ProjectDb,
    of: WorkTable<Row>,
    claim: { where: RawBuilder<unknown>; order?: RawBuilder<unknown>; set?: RawBuilder<unknown> },
  ): Promise<Lease<Row> | undefined> {
    const [lease] = await this.claim(db, of, { order: columnsOf(of.key), ...claim, limit: 1 })
    return lease
  }

  /** Returns the lease of a row that its worker inserted with this fence, and `leaseEnd` as the end of its lease. */
  leaseOf<Row extends object>(of: WorkTable<Row>, row: Row, fence: string): Lease<Row> {
    return new Lease(of, row, fence, this.now)
  }

  /**
   * Lists due work of all projects that is not leased, the oldest first, for a tick that enqueues jobs. Changes
   * nothing. Returns the named columns, each combination once, of the first `limit` rows.
   *
   * @param graceMs skips what became due less than this ago: its job was enqueued with it
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
   * Takes due rows of all projects, for a tick that enqueues a job for each in the same transaction. Each is due again
   * after `againMs`, unless its job sets another time. With `set` it changes as given, so that it is no longer due.
   * `set` names the row `work`. Returns the named columns.
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
