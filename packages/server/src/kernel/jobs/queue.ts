import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import { fromKysely, PgBoss } from 'pg-boss'
import type { ProjectDb, Tables } from '../db/index.ts'
import type { Logger, Metrics } from '../telemetry/index.ts'
import { FetchLoop } from './fetch-loop.ts'
import type { Job } from './job.ts'

const schema = 'mortise_jobs'
const channel = 'mortise_jobs'

export interface QueueOptions {
  systemPool: pg.Pool
  /** Opens the connection that listens for new work. */
  connect: () => Promise<pg.Client>
  log: Logger
  metrics: Metrics
}

/** A transaction that a job is enqueued in: of one project, or of the system role. */
export type Enlistable = Pick<ProjectDb, 'sql'> | { sql: Kysely<Tables> }

/** The job queue: pg-boss over PostgreSQL. The one place that knows it. */
export class JobQueue {
  readonly #boss: PgBoss
  readonly #options: QueueOptions
  readonly #loops = new Map<string, FetchLoop>()
  #listener: pg.Client | undefined
  #stopping = false

  constructor(options: QueueOptions) {
    this.#options = options
    this.#boss = new PgBoss({
      db: { executeSql: (text: string, values?: unknown[]) => options.systemPool.query(text, values) },
      schema,
      createSchema: false,
      schedule: false,
      superviseIntervalSeconds: 1,
      monitorIntervalSeconds: 2,
      maintenanceIntervalSeconds: 60,
    })
    // Without a listener an error of the queue would end the process; it recovers by itself.
    this.#boss.on('error', (error) => options.log.warn({ err: error }, 'job queue'))
  }

  /** Makes the queues of all jobs, and starts the supervision that hands over what a dead process left. */
  async start(jobs: Job[]): Promise<void> {
    await this.#boss.start()
    const existing = new Set((await this.#boss.getQueues()).map((queue) => queue.name))
    for (const { declaration } of jobs) {
      const settings = {
        expireInSeconds: declaration.expireInSeconds,
        retryLimit: declaration.retryLimit,
        retryDelay: declaration.retryDelaySeconds,
        retryBackoff: declaration.retryDelaySeconds > 0,
        deleteAfterSeconds: 600,
        ...(declaration.heartbeatSeconds !== undefined && { heartbeatSeconds: declaration.heartbeatSeconds }),
      }
      if (existing.has(declaration.name)) continue
      await this.#boss.createQueue(declaration.name, { policy: declaration.policy, ...settings })
    }
  }

  /** Whether the queue answers; throws when it does not. */
  async check(): Promise<void> {
    if ((await this.#boss.schemaVersion()) === null) throw new Error('the job queue is not installed')
  }

  /**
   * Enqueues a job in the caller's transaction: it exists when the transaction commits, and wakes the workers then. With a `key`
   * under a `stately` job, a second one of the same key that still waits is left out.
   */
  async enqueue<D extends object>(tx: Enlistable, job: Job<D, never>, data: D, key?: string): Promise<void> {
    await this.enqueueAll(tx, job, [{ data, ...(key !== undefined && { key }) }])
  }

  /** The same for many at once, in one statement. */
  async enqueueAll<D extends object>(
    tx: Enlistable,
    job: Job<D, never>,
    items: { data: D; key?: string }[],
  ): Promise<void> {
    if (items.length === 0) return
    const { name } = job.declaration
    await this.#boss.insert(
      name,
      items.map(({ data, key }) => ({ data, ...(key !== undefined && { singletonKey: key }) })),
      { db: fromKysely(tx.sql as never) },
    )
    await sql`select pg_notify(${channel}, ${name})`.execute(tx.sql)
  }

  /** Starts to work on jobs: one fetch loop for each queue. */
  async work<S>(jobs: Job<never, S>[], services: S): Promise<void> {
    for (const job of jobs) {
      const loop = new FetchLoop(this.#boss, job as unknown as Job<object, S>, services, this.#options)
      this.#loops.set(job.declaration.name, loop)
      loop.start()
    }
    await this.#listen()
  }

  /** Wakes the loop of a job in this process at once. */
  wake(name: string): void {
    this.#loops.get(name)?.wake()
  }

  /** Takes no more work, tells running jobs to end, and waits for them. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()))
    await this.#listener?.end().catch((error: Error) => this.#options.log.debug({ err: error }, 'listener'))
    await this.#boss.stop({ graceful: false, close: false })
  }

  /** Listens for new work; when the connection breaks, polling goes on and the listener comes back. */
  async #listen(): Promise<void> {
    if (this.#stopping) return
    try {
      const client = await this.#options.connect()
      this.#listener = client
      client.on('notification', ({ payload }) => this.#loops.get(payload ?? '')?.wake())
      client.once('error', () => this.#relisten(client))
      client.once('end', () => this.#relisten(client))
      await client.query(`listen ${channel}`)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'cannot listen for jobs; polling')
      this.#relisten(undefined)
    }
  }

  #relisten(client: pg.Client | undefined): void {
    if (this.#stopping || this.#listener !== client) return
    this.#listener = undefined
    setTimeout(() => void this.#listen(), 1_000).unref()
  }
}
