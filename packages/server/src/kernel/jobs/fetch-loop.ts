import type { JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger, Metrics } from '../telemetry/index.ts'
import { type Job, Permanent } from './job.ts'

/** Delay after the queue was unreachable, or finished jobs could not be settled. */
const retryMs = 500
/** Heartbeat interval of running jobs; a third of the shortest heartbeat that the queue accepts. */
const touchMs = 3_000
/** Maximum number of jobs that have yielded their slot, per slot. */
const asidePerSlot = 3

interface Running {
  controller: AbortController
  done: Promise<void>
}

/**
 * Fetches and runs the jobs of one queue in one process. It fetches as many jobs as it has free slots, runs them
 * concurrently, and settles finished ones in one statement before the next fetch. It continues immediately while there
 * is work; the queue's own workers sleep after each fetch. Without work it waits until it is woken, and does not poll.
 */
export class FetchLoop {
  readonly #boss: PgBoss
  readonly #job: Job<object, unknown>
  readonly #services: unknown
  readonly #log: Logger
  readonly #metrics: Metrics
  readonly #running = new Map<string, Running>()
  /** Running jobs that have yielded their slot. */
  readonly #aside = new Set<string>()
  #completed: string[] = []
  #stopping = false
  #woken = false
  #wakeUp: (() => void) | undefined
  #endPause: (() => void) | undefined
  #fetchedAt = Number.NEGATIVE_INFINITY
  #loop: Promise<void> | undefined
  #touching: NodeJS.Timeout | undefined

  constructor(boss: PgBoss, job: Job<object, never>, services: unknown, options: { log: Logger; metrics: Metrics }) {
    this.#boss = boss
    this.#job = job as unknown as Job<object, unknown>
    this.#services = services
    this.#log = options.log.child({ job: job.declaration.name })
    this.#metrics = options.metrics
  }

  start(): void {
    this.#loop = this.#run()
    if (this.#job.declaration.heartbeatSeconds !== undefined) {
      this.#touching = setInterval(() => void this.#touch(), touchMs).unref()
    }
  }

  wake(): void {
    this.#woken = true
    this.#wakeUp?.()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.wake()
    this.#endPause?.()
    await this.#loop
    for (const { controller } of this.#running.values()) controller.abort(new Error('the process is stopping'))
    await Promise.all([...this.#running.values()].map(({ done }) => done))
    clearInterval(this.#touching)
    await this.#settle().catch((error: unknown) => this.#log.warn({ err: error }, 'failed to settle finished jobs'))
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      await this.#pause()
      this.#woken = false
      try {
        await this.#settle()
        if ((await this.#fetch()) === 0) await this.#wait()
      } catch (error) {
        this.#log.warn({ err: error }, 'failed to reach the job queue')
        await this.#wait(retryMs)
      }
    }
  }

  async #settle(): Promise<void> {
    const ids = this.#completed
    if (ids.length === 0) return
    this.#completed = []
    try {
      await this.#boss.complete(this.#job.declaration.name, ids)
    } catch (error) {
      this.#completed.push(...ids)
      throw error
    }
  }

  async #fetch(): Promise<number> {
    const { name, policy } = this.#job.declaration
    const free = this.#freePlaces()
    if (free <= 0) return 0
    this.#fetchedAt = performance.now()
    const jobs = await this.#boss.fetch<object>(name, {
      batchSize: free,
      includeMetadata: true,
      ...(policy === 'one-per-key' && { groupConcurrency: 1 }),
    })
    for (const fetched of jobs) this.#begin(fetched)
    return jobs.length
  }

  #freePlaces(): number {
    return this.#job.declaration.concurrency - (this.#running.size - this.#aside.size)
  }

  #giveWay(id: string): boolean {
    if (this.#aside.has(id)) return true
    const most = asidePerSlot * this.#job.declaration.concurrency
    if (!this.#running.has(id) || this.#freePlaces() > 0 || this.#aside.size >= most) return false
    this.#aside.add(id)
    this.wake()
    return true
  }

  #begin(fetched: JobWithMetadata<object>): void {
    const { declaration } = this.#job
    const controller = new AbortController()
    const expiry = setTimeout(
      () => controller.abort(new Error('the job took too long')),
      declaration.expireInSeconds * 1000,
    )
    this.#metrics.jobsRunning.inc({ job: declaration.name })
    const done = (async () => {
      try {
        await declaration.run(
          {
            id: fetched.id,
            data: fetched.data,
            signal: controller.signal,
            log: this.#log,
            giveWay: () => this.#giveWay(fetched.id),
          },
          this.#services,
        )
        this.#completed.push(fetched.id)
        this.#metrics.jobs.inc({ job: declaration.name, outcome: 'completed' })
      } catch (error) {
        this.#metrics.jobs.inc({ job: declaration.name, outcome: 'failed' })
        await this.#fail(fetched, error)
      } finally {
        clearTimeout(expiry)
        this.#metrics.jobsRunning.dec({ job: declaration.name })
        this.#running.delete(fetched.id)
        this.#aside.delete(fetched.id)
        this.wake()
      }
    })()
    this.#running.set(fetched.id, { controller, done })
  }

  async #fail(fetched: JobWithMetadata<object>, error: unknown): Promise<void> {
    const permanent = error instanceof Permanent
    const level = this.#stopping ? 'debug' : error instanceof Error && error.name === 'Transient' ? 'info' : 'error'
    this.#log[level]({ err: error, jobId: fetched.id }, 'job failed')
    const { name } = this.#job.declaration
    try {
      if (permanent) await this.#boss.complete(name, fetched.id)
      else await this.#boss.fail(name, fetched.id, { message: error instanceof Error ? error.message : String(error) })
    } catch (settling) {
      // The job stays active; another worker takes it over when its heartbeat or its time expires.
      this.#log.warn({ err: settling, jobId: fetched.id }, 'failed to settle a failed job')
    }
  }

  async #touch(): Promise<void> {
    const ids = [...this.#running.keys()]
    if (ids.length === 0) return
    try {
      await this.#boss.touch(this.#job.declaration.name, ids)
    } catch (error) {
      this.#log.warn({ err: error }, 'failed to renew the heartbeat of jobs')
    }
  }

  /** Keeps the interval between fetches of a job that declares one. */
  async #pause(): Promise<void> {
    const { fetchEveryMs = 0 } = this.#job.declaration
    const ms = this.#fetchedAt + fetchEveryMs - performance.now()
    if (ms <= 0 || this.#stopping) return
    const { promise, resolve } = Promise.withResolvers<void>()
    // A fraction would make all timers of the process slower: V8 gives `Timeout` another shape.
    const timer = setTimeout(resolve, Math.ceil(ms))
    this.#endPause = resolve
    await promise
    clearTimeout(timer)
  }

  /** Waits until new work or the end of a running job wakes it, or until the time is over. */
  #wait(ms?: number): Promise<void> {
    if (this.#woken || this.#stopping) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(finish, ms)
      this.#wakeUp = finish
      const self = this
      function finish() {
        clearTimeout(timer)
        self.#wakeUp = undefined
        resolve()
      }
    })
  }
}
