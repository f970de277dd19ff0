import { type Kysely, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { fromKysely, PgBoss } from 'pg-boss'
import type { ProjectDb, Tables } from '../db/index.ts'
import { type PubSub, publish, type Subscription, topic } from '../pubsub/index.ts'
import type { Logger, Metrics } from '../telemetry/index.ts'
import { FetchLoop } from './fetch-loop.ts'
import type { Job, JobReference } from './job.ts'
import type { PendingJob } from './pending-jobs.ts'
import { startTicks } from './tick.ts'
import { findWaitingQueues } from './waiting-queues.ts'

const schema = 'mortise_jobs'
/** Publishes the name of a queue that has new jobs. */
const jobsTopic = topic('jobs')
/** New jobs cause a notification. The poll finds jobs whose notification was lost, and retries that are due. */
const pollMs = 500
/**
 * Without notifications, the loops of this process look for its own new jobs after these times. The transaction that
 * enqueues them has usually committed by then; the poll finds the others.
 */
const lookAfterMs = [5, 20, 50, 100, 200]

export interface QueueOptions {
  systemPool: pg.Pool
  /** Receives notifications of new jobs. Not needed by a queue that runs no jobs. */
  pubsub?: Pick<PubSub, 'subscribe'>
  log: Logger
  metrics: Metrics
  /**
   * False where another process of the service hands over the jobs of dead processes and deletes old ones. True when
   * absent.
   */
  supervises?: boolean
}

/**
 * Collects announcements of new jobs for this long. Transactions that notify commit one after the other, so a busy
 * service would do nothing else.
 */
const announceMs = 20

/** A transaction to enqueue a job in: of one project, or of the system role. */
export type Enlistable = Pick<ProjectDb, 'sql'> | { sql: Kysely<Tables> }

/**
 * `short` keeps one queued job per key. The fetch ensures that only one of a key runs, by its group. (`stately`
 * promises both, but a queued job whose twin runs makes a whole fetch return nothing, and the list that avoids it is
 * seconds old: decision 0002.)
 */
const policyOf = { 'one-per-key': 'short', standard: 'standard' } as const

/** Returns a job as the INSERT of `JobQueue.insertion` takes it. */
export function insertedJob<D extends object>(_: JobReference<D>, data: D, key: string): object {
  return { data, singletonKey: key, groupId: key }
}

/** The job queue: pg-boss on PostgreSQL. No other module uses pg-boss. */
export class JobQueue {
  readonly #boss: PgBoss
  readonly #options: QueueOptions
  readonly #loops = new Map<string, FetchLoop>()
  readonly #looking = new Map<string, { timer: NodeJS.Timeout; next: readonly number[] }>()
  #subscription: Subscription | undefined
  #polling: ReturnType<typeof startTicks> | undefined
  readonly #announced = new Set<string>()
  #announcing: NodeJS.Timeout | undefined

  constructor(options: QueueOptions) {
    this.#options = options
    this.#boss = new PgBoss({
      db: { executeSql: (text: string, values?: unknown[]) => options.systemPool.query(text, values) },
      schema,
      createSchema: false,
      schedule: false,
      supervise: options.supervises ?? true,
      // Hands over the jobs of a dead process within two seconds of the end of its last heartbeat. A pass needs a dozen
      // statements and also monitors, at most at the second interval. More frequent passes would be refused and wasted.
      superviseIntervalSeconds: 2,
      monitorIntervalSeconds: 1,
      maintenanceIntervalSeconds: 60,
    })
    // Without a handler, an error of the queue would end the process. The queue recovers automatically.
    this.#boss.on('error', (error) => options.log.warn({ err: error }, 'job queue'))
  }

  /**
   * Creates the queues of all jobs, updates the settings of existing ones, and starts the supervision that hands over
   * the jobs of dead processes. Several nodes may start at the same time.
   */
  async start(jobs: Job<never, never>[]): Promise<void> {
    await this.#boss.start()
    const existing = new Map((await this.#boss.getQueues()).map((queue) => [queue.name, queue]))
    for (const { declaration } of jobs) {
      const { name } = declaration
      const policy = policyOf[declaration.policy]
      const settings = {
        expireInSeconds: declaration.expireInSeconds,
        retryLimit: declaration.retryLimit,
        retryDelay: declaration.retryDelaySeconds,
        retryBackoff: declaration.retryDelaySeconds > 0,
        deleteAfterSeconds: 600,
      }
      const queue = existing.get(name)
      const { heartbeatSeconds } = declaration
      const wanted = { ...settings, heartbeatSeconds: heartbeatSeconds ?? null }
      if (!queue) {
        await this.#boss.createQueue(name, {
          policy,
          ...settings,
          ...(heartbeatSeconds !== undefined && { heartbeatSeconds }),
        })
        await this.#remember(name)
      } else if (queue.policy !== policy)
        throw new Error(`The queue ${name} is ${queue.policy}, which cannot be changed to ${policy}.`)
      else if (Object.entries(wanted).some(([key, value]) => queue[key as keyof typeof wanted] !== value)) {
        await this.#boss.updateQueue(name, wanted)
        await this.#remember(name)
      }
    }
  }

  /**
   * Makes pg-boss look up the queue now. Otherwise the first job does it in the middle of the caller's transaction,
   * over another connection: transactions that occupy all connections would wait for each other.
   */
  async #remember(name: string): Promise<void> {
    await this.#boss.insert(name, [])
  }

  /** Checks that the queue responds; throws when it does not. */
  async check(): Promise<void> {
    if ((await this.#boss.schemaVersion()) === null) throw new Error('the job queue is not installed')
  }

  /**
   * Enqueues a job in the caller's transaction: it exists, and wakes the workers, when the transaction commits. With a
   * `key` and a `one-per-key` job, it is skipped when another one of the same key still waits.
   */
  async enqueue<D extends object>(tx: Enlistable, job: JobReference<D>, data: D, key?: string): Promise<void> {
    await this.enqueueAll(tx, job, [{ data, ...(key !== undefined && { key }) }])
  }

  /** Enqueues several jobs in one statement. */
  async enqueueAll<D extends object>(
    tx: Enlistable,
    job: JobReference<D>,
    items: { data: D; key?: string }[],
  ): Promise<void> {
    if (items.length === 0) return
    const { name } = job.declaration
    await this.#boss.insert(
      name,
      items.map(({ data, key }) => ({ data, ...(key !== undefined && { singletonKey: key, group: { id: key } }) })),
      { db: fromKysely(tx.sql as never) },
    )
    await publish(jobsTopic, [name]).execute(tx.sql)
    if (this.#loops.has(name) && !this.#subscription?.isConnected) this.#lookFor(name)
  }

  /**
   * Enqueues jobs that apply what this transaction changes. A job of the same key that already waits does not start
   * before the transaction ends: it would not see the change, and would replace the job that does. Only for jobs that
   * nothing repeats, because each call delays the waiting job.
   */
  async enqueueToApply<D extends object>(
    tx: Enlistable,
    job: JobReference<D>,
    items: { data: D; key: string }[],
  ): Promise<void> {
    let missing = items
    while (missing.length > 0) {
      await this.enqueueAll(tx, job, missing)
      // A skipped job may have started since, so that none waits any more.
      const { rows } = await sql<{ key: string }>`
        select singleton_key as key from mortise_jobs.job
         where name = ${job.declaration.name} and state = 'created'
           and singleton_key = any(${missing.map(({ key }) => key)}::text[])
         for key share`.execute(tx.sql as Kysely<unknown>)
      const waiting = new Set(rows.map(({ key }) => key))
      missing = missing.filter(({ key }) => !waiting.has(key))
    }
  }

  #lookFor(name: string, times: readonly number[] = lookAfterMs): void {
    // The timer that runs already continues with all times: jobs that keep arriving do not delay it.
    const running = this.#looking.get(name)
    if (running) {
      running.next = times
      return
    }
    const [afterMs, ...later] = times
    if (afterMs === undefined) return
    const look = () => {
      const next = this.#looking.get(name)?.next ?? []
      this.#looking.delete(name)
      this.wake(name)
      this.#lookFor(name, next)
    }
    this.#looking.set(name, { timer: setTimeout(look, afterMs).unref(), next: later })
  }

  /**
   * Returns the INSERT of jobs, for a statement that makes something and enqueues its jobs together. It wakes nobody:
   * call `announce` after the commit.
   *
   * @param jobs an expression of that statement, with a JSON list of `insertedJob` as text; null inserts nothing
   */
  async insertion<D extends object>({ declaration }: JobReference<D>, jobs: string): Promise<RawBuilder<unknown>> {
    let insert: string | undefined
    const executeSql = async (text: string) => {
      insert = text
      return { rows: [] }
    }
    await this.#boss.insert(declaration.name, [{}], { db: { executeSql } })
    const [before, after, ...more] = insert?.split('$1') ?? []
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error('pg-boss inserts jobs in another way than this release expects.')
    return sql.raw(before + jobs + after)
  }

  /**
   * Wakes the workers of a job that was enqueued by `insertion`: here immediately, on other nodes soon. If this process
   * dies before, they find the job with their next poll.
   */
  announce<D extends object>(job: JobReference<D>): void {
    const { name } = job.declaration
    this.wake(name)
    this.#announced.add(name)
    this.#announcing ??= setTimeout(() => void this.#publish(), announceMs).unref()
  }

  async #publish(): Promise<void> {
    this.#announcing = undefined
    const names = [...this.#announced]
    this.#announced.clear()
    const { systemPool, log } = this.#options
    await systemPool
      .query('select pg_notify($1, name) from unnest($2::text[]) as name', [jobsTopic.channel, names])
      .catch((error: unknown) => log.warn({ err: error }, 'failed to announce jobs'))
  }

  /**
   * Enqueues the jobs of a backup; call `start` first to create the queues. Of one key of a `one-per-key` job, only the
   * first one is enqueued. Returns the names of queues that no longer exist; their jobs are skipped.
   */
  async putBack(tx: Enlistable, jobs: PendingJob[]): Promise<string[]> {
    const known = new Set((await this.#boss.getQueues()).map(({ name }) => name))
    const byQueue = Map.groupBy(jobs, ({ queue }) => queue)
    for (const [queue, waiting] of byQueue) {
      if (!known.has(queue)) continue
      const items = waiting.map(({ id, data, key, group, startAfter }) => ({
        id,
        data,
        startAfter,
        ...(key !== null && { singletonKey: key }),
        ...(group !== null && { group: { id: group } }),
      }))
      await this.#boss.insert(queue, items, { db: fromKysely(tx.sql as never) })
    }
    return [...byQueue.keys()].filter((queue) => !known.has(queue))
  }

  /** Starts to process jobs: one fetch loop for each queue. */
  async work<S>(jobs: Job<never, S>[], services: S): Promise<void> {
    for (const job of jobs) {
      const loop = new FetchLoop(this.#boss, job as unknown as Job<object, S>, services, this.#options)
      this.#loops.set(job.declaration.name, loop)
      loop.start()
    }
    this.#polling = startTicks([{ name: 'poll jobs', everyMs: pollMs, run: () => this.#poll() }], this.#options.log)
    this.#subscription = this.#options.pubsub?.subscribe(jobsTopic, {
      receive: (name) => this.wake(name),
      missed: () => {
        for (const loop of this.#loops.values()) loop.wake()
      },
    })
    await this.#subscription?.ready
  }

  /**
   * Polls all queues in one statement: a poll per queue, twice a second, would be most of the load of an idle service.
   */
  async #poll(): Promise<false> {
    for (const name of await findWaitingQueues(this.#options.systemPool, [...this.#loops.keys()])) this.wake(name)
    return false
  }

  /** Wakes the loop of a job in this process immediately. */
  wake(name: string): void {
    this.#loops.get(name)?.wake()
  }

  /** Takes no more work, aborts running jobs, and waits for them. */
  async stop(): Promise<void> {
    clearTimeout(this.#announcing)
    this.#subscription?.end()
    for (const { timer } of this.#looking.values()) clearTimeout(timer)
    await this.#polling?.stop()
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()))
    await this.#boss.stop({ graceful: false, close: false })
  }
}
