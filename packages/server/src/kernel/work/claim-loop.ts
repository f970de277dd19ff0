import type { Kysely } from 'kysely'
import type { Tables } from '../db/index.ts'
import { type PubSub, publish, type Subscription, topic } from '../pubsub/index.ts'
import type { Logger, Metrics } from '../telemetry/index.ts'

/** Delay until a loop claims again what became due with time, and after the database was unreachable. */
const pollMs = 1_000
/** The same while nothing notifies of due work, as behind some connection poolers. */
const pollWithoutNotificationsMs = 100
/** Publishes the name of a loop for which a change has made work due. */
const dueTopic = topic('due')

/**
 * Work that each node claims where it is stored, without jobs. A claim costs the same however much waits, and a queue
 * of jobs costs more the longer it is.
 */
export interface ClaimLoop {
  /** Name in metrics and logs, as `feature.verb`. */
  name: string
  /** Number of units that run concurrently in one process. */
  concurrency: number
  /**
   * Slots that must be free before the next claim, so that claims are batches. 1 when absent. After a poll, one free
   * slot is enough: units that hang do not keep the other slots from due work.
   */
  batchMin?: number
  /**
   * Claims at most `limit` due units and starts them. Returns a promise for each; fewer than `limit` when no more are
   * due. A promise resolves to `more` when the end of its unit has made other work due.
   *
   * @param signal aborts when the process stops; units observe it
   */
  begin(limit: number, signal: AbortSignal): Promise<Promise<UnitEnd>[]>
  /** Waits for what units left to be done after they freed their slots. */
  stop?(): Promise<void>
}

export type UnitEnd = 'more' | undefined

export interface ClaimLoopServices {
  log: Logger
  metrics: Pick<Metrics, 'jobs' | 'jobsRunning'>
  pubsub: Pick<PubSub, 'subscribe'>
}

/** Wakes a loop of all nodes when the transaction commits. Without it, due work waits for the next poll. */
export async function publishDue(tx: { sql: Kysely<Tables> }, loop: string): Promise<void> {
  await publish(dueTopic, [loop]).execute(tx.sql)
}

/**
 * Runs claim loops until stopped. Logs an error and claims again a second later.
 *
 * @param speed how many times as often the loops poll
 */
export async function startClaimLoops(
  loops: ClaimLoop[],
  services: ClaimLoopServices,
  speed = 1,
): Promise<{ stop(): Promise<void> }> {
  let subscription: Subscription | undefined
  const pollAfterMs = () => (subscription?.isConnected ? pollMs / speed : pollWithoutNotificationsMs)
  const running = new Map(loops.map((loop) => [loop.name, new RunningLoop(loop, services, pollAfterMs)]))
  subscription = services.pubsub.subscribe(dueTopic, {
    receive: (name) => running.get(name)?.wake(),
    missed() {
      for (const loop of running.values()) loop.wake()
    },
  })
  await subscription.ready
  return {
    async stop() {
      subscription?.end()
      await Promise.all([...running.values()].map((loop) => loop.stop()))
    },
  }
}

class RunningLoop {
  readonly #loop: ClaimLoop
  readonly #services: ClaimLoopServices
  readonly #pollAfterMs: () => number
  readonly #stopping = new AbortController()
  readonly #units = new Set<Promise<void>>()
  readonly #ended: Promise<void>
  /** Whether the last claim may have left due work. */
  #hasMore = true
  /** Whether the next claim need not be a batch. */
  #isOverdue = false
  #wakeUp: (() => void) | undefined

  constructor(loop: ClaimLoop, services: ClaimLoopServices, pollAfterMs: () => number) {
    this.#loop = loop
    this.#services = services
    this.#pollAfterMs = pollAfterMs
    this.#ended = this.#run()
  }

  wake(): void {
    this.#hasMore = true
    this.#wakeUp?.()
  }

  /** Claims no more, aborts running units, and waits for them. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the process is stopping'))
    this.#wakeUp?.()
    await this.#ended
    await Promise.all(this.#units)
    await this.#loop.stop?.()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const slotsMin = this.#isOverdue ? 1 : (this.#loop.batchMin ?? 1)
      if (this.#hasMore && this.#freeSlots() >= slotsMin) await this.#claim(signal)
      else await this.#wait()
    }
  }

  #freeSlots(): number {
    return this.#loop.concurrency - this.#units.size
  }

  async #claim(signal: AbortSignal): Promise<void> {
    const limit = this.#freeSlots()
    // Before the claim: a change may commit while it runs.
    this.#hasMore = false
    this.#isOverdue = false
    try {
      const units = await this.#loop.begin(limit, signal)
      if (units.length >= limit) this.#hasMore = true
      for (const unit of units) this.#follow(unit)
    } catch (error) {
      if (!signal.aborted) this.#services.log.warn({ err: error, loop: this.#loop.name }, 'failed to claim due work')
    }
  }

  #follow(unit: Promise<UnitEnd>): void {
    const { log, metrics } = this.#services
    const job = this.#loop.name
    metrics.jobsRunning.inc({ job })
    const done = unit
      .then(
        (end) => {
          metrics.jobs.inc({ job, outcome: 'completed' })
          if (end === 'more') this.#hasMore = true
        },
        (error: unknown) => {
          metrics.jobs.inc({ job, outcome: 'failed' })
          if (!this.#stopping.signal.aborted) log.error({ err: error, loop: job }, 'failed to process due work')
        },
      )
      .then(() => {
        metrics.jobsRunning.dec({ job })
        this.#units.delete(done)
        this.#wakeUp?.()
      })
    this.#units.add(done)
  }

  /** Waits until a wake-up or the end of a unit lets it claim, or for the next poll. */
  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const poll = setTimeout(() => {
        this.#isOverdue = true
        this.wake()
      }, this.#pollAfterMs())
      this.#wakeUp = () => {
        clearTimeout(poll)
        this.#wakeUp = undefined
        resolve()
      }
    })
  }
}
