import type { ProjectDb } from '../../../kernel/db/index.ts'
import { bareHost } from '../../../kernel/net/index.ts'
import type { Services } from '../../../services.ts'
import { type Attempt, attemptDelivery } from './attempt.ts'
import {
  attemptMs,
  batchBytesMax,
  batchMax,
  breakerFailures,
  concurrencyMax,
  leaseSeconds,
  renewEveryMs,
  sliceMs,
  stalledMs,
  stopGraceMs,
  unsentDelayMs,
} from './delivery-rules.ts'
import {
  type ClaimedMessage,
  claimMessages,
  disableDestination,
  renewLeases,
  type Settlement,
  settleMessages,
  takeProbe,
  updateDestinationHealth,
} from './delivery-store.ts'
import { type DeliveryTarget, findDeliveryTarget } from './delivery-target.ts'
import { probeDelayMs, retryDelayMs } from './retry-schedule.ts'

export type DrainServices = Pick<
  Services,
  | 'database'
  | 'outbound'
  | 'names'
  | 'keyring'
  | 'publicUrl'
  | 'now'
  | 'newId'
  | 'metrics'
  | 'hooks'
  | 'log'
  | 'deliveryRate'
>

export interface DrainOptions {
  projectId: string
  destinationId: string
  /** Ends the drain: nothing more is sent, what is under way may end. */
  signal: AbortSignal
  /** Gives the place of this drain to another, if all are taken; says whether it did. */
  giveWay?: () => boolean
  random?: () => number
}

/**
 * How long results may wait for others before they are settled, and how soon a drain looks again for what came
 * meanwhile.
 */
const settleWithinMs = 100
const lookAgainMs = 250

/**
 * Works through what is due for one destination: claims batches with a lease, sends them side by side, settles them
 * together. The next claim and the last settling run while messages are on their way. After failures in a row it stops,
 * and one probe at a time, each after a longer delay, finds out whether the destination is back. While nothing answers
 * and others wait for its place, it keeps only what is on its way.
 *
 * @returns whether there may be more to send at once
 */
export async function drain(services: DrainServices, options: DrainOptions): Promise<boolean> {
  const db = services.database.forProject(options.projectId)
  const target = await findDeliveryTarget(db, services, options.destinationId)
  if (!target) return false
  if (target.probeAt !== null) {
    if (!(await takeProbe(db, target.id, attemptMs / 1_000 + 5))) return false
    const probe = new Drain(services, options, db, target, true)
    const answered = await probe.run()
    if (!answered) return false
    if (probe.gaveWay) return true
    const healthy = await findDeliveryTarget(db, services, options.destinationId)
    return healthy !== undefined && new Drain(services, options, db, healthy, false).run()
  }
  if (services.names.isBusy(bareHost(target.url), options.projectId)) {
    await postpone(services, db, target.id, options.random ?? Math.random)
    return false
  }
  return new Drain(services, options, db, target, false).run()
}

/** Holds what is due until our own resolver may have room: one statement, where claiming and giving back are two. */
async function postpone({ newId }: DrainServices, db: ProjectDb, destinationId: string, random: () => number) {
  const leaseSeconds = (unsentDelayMs / 1_000) * (0.5 + random())
  await claimMessages(db, { destinationId, token: newId(), limit: batchMax, bytesMax: batchBytesMax, leaseSeconds })
}

class Drain {
  readonly #services: DrainServices
  readonly #db: ProjectDb
  readonly #projectId: string
  readonly #signal: AbortSignal
  readonly #random: () => number
  /** Cancels requests under way, some time after the signal. */
  readonly #cancel = new AbortController()
  readonly #probing: boolean
  readonly #giveWay: () => boolean
  /** Whether another has its place: it takes on nothing new. */
  gaveWay = false
  #target: DeliveryTarget
  #ready: ClaimedMessage[] = []
  readonly #sending = new Set<ClaimedMessage>()
  #ended: { message: ClaimedMessage; attempt: Attempt }[] = []
  #released: ClaimedMessage[] = []
  /** Until released messages are due again. */
  #releasedDelayMs = 0
  #claiming: Promise<void> | undefined
  #settling: Promise<void> | undefined
  #failuresInARow: number
  #delivered = 0
  /**
   * Set when no more is to be sent: the destination fails, is gone or disabled, the slice is over, the process stops.
   */
  #halted = false
  #drained = false
  #claimedAt = 0
  #firstEndedAt = 0
  /** When something was last answered, or nothing was on its way. */
  #movedAt = performance.now()
  /** Until the rate of the project lets the next message go; 0 when it does. */
  #rateWaitMs = 0
  #fault: { error: unknown } | undefined
  #wake: () => void = () => undefined

  constructor(services: DrainServices, options: DrainOptions, db: ProjectDb, target: DeliveryTarget, probing: boolean) {
    this.#services = services
    this.#db = db
    this.#projectId = options.projectId
    this.#signal = options.signal
    this.#random = options.random ?? Math.random
    this.#giveWay = options.giveWay ?? (() => false)
    this.#target = target
    this.#probing = probing
    this.#failuresInARow = target.failureCount
  }

  /** Answers whether there may be more; for a probe, whether it was answered. */
  async run(): Promise<boolean> {
    const until = performance.now() + sliceMs
    let grace: NodeJS.Timeout | undefined
    const stop = () => {
      this.#halted = true
      grace = setTimeout(() => this.#cancel.abort(new Error('the process is stopping')), stopGraceMs)
      this.#wake()
    }
    if (this.#signal.aborted) stop()
    else this.#signal.addEventListener('abort', stop, { once: true })
    const renewing = setInterval(() => void this.#renew(), renewEveryMs)
    try {
      while (this.#fault === undefined) {
        const changed = new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        if (performance.now() > until) this.#halted = true
        this.#step()
        if (!this.gaveWay && this.#isStalled() && this.#giveWay()) this.#standAside()
        if (this.#isIdle()) break
        await this.#changedWithin(changed, this.#restMs())
      }
    } finally {
      clearInterval(renewing)
      clearTimeout(grace)
      this.#signal.removeEventListener('abort', stop)
      // After a fault nothing is settled: leases end, and everything is found again.
      if (this.#fault) this.#cancel.abort(new Error('the delivery worker failed'))
      await Promise.all([this.#claiming, this.#settling])
    }
    if (this.#fault) throw this.#fault.error
    return this.#probing ? this.#delivered > 0 : !this.#drained && this.#failuresInARow < breakerFailures
  }

  #isIdle(): boolean {
    const open = this.#ready.length + this.#sending.size + this.#ended.length + this.#released.length
    return open === 0 && !this.#claiming && !this.#settling && (this.#halted || this.#drained)
  }

  /** How long to do nothing, unless something changes. */
  #restMs(): number {
    const restMs = this.#sending.size > 0 && !this.#halted ? lookAgainMs : settleWithinMs
    return this.#rateWaitMs > 0 ? Math.min(restMs, this.#rateWaitMs) : restMs
  }

  #isStalled(): boolean {
    return this.#sending.size > 0 && (performance.now() - this.#movedAt >= stalledMs || this.#waitsForName())
  }

  /** Names that never resolve may be many: while one is looked up, another destination gets the slot. */
  #waitsForName(): boolean {
    try {
      return this.#services.names.known(bareHost(this.#target.url)) === undefined
    } catch {
      return false
    }
  }

  #standAside(): void {
    this.gaveWay = true
    this.#halted = true
    // What it gives back is found by whoever comes next.
    if (this.#ready.length > 0) this.#drained = false
  }

  async #changedWithin(changed: Promise<void>, ms: number): Promise<void> {
    const timer = setTimeout(this.#wake, ms)
    await changed
    clearTimeout(timer)
  }

  /** Starts whatever can be started now. */
  #step(): void {
    if (this.#halted) this.#released.push(...this.#ready.splice(0))
    else if (!this.#claiming && this.#wantsMore()) this.#claiming = this.#track(this.#claim(), 'claiming')
    this.#rateWaitMs = 0
    while (!this.#halted && this.#ready.length > 0 && this.#sending.size < concurrencyMax) {
      this.#rateWaitMs = this.#services.deliveryRate.take(this.#projectId)
      if (this.#rateWaitMs > 0) break
      const message = this.#ready.shift()
      if (message) void this.#send(message)
    }
    if (!this.#settling && this.#mustSettle()) this.#settling = this.#track(this.#settle(), 'settling')
  }

  #wantsMore(): boolean {
    if (this.#probing) return this.#claimedAt === 0
    if (this.#ready.length >= batchMax) return false
    // Everything has been taken; while the last of it is on its way, more may have come.
    return !this.#drained || (this.#sending.size > 0 && performance.now() - this.#claimedAt >= lookAgainMs)
  }

  #mustSettle(): boolean {
    const waiting = this.#ended.length + this.#released.length
    if (waiting === 0) return false
    const nothingElse = this.#sending.size === 0 && this.#ready.length === 0
    return (
      waiting >= batchMax || nothingElse || this.#halted || performance.now() - this.#firstEndedAt >= settleWithinMs
    )
  }

  async #claim(): Promise<void> {
    const limit = this.#probing ? 1 : batchMax
    const isFirst = this.#claimedAt === 0
    this.#claimedAt = performance.now()
    const claim = {
      destinationId: this.#target.id,
      token: this.#services.newId(),
      limit,
      bytesMax: batchBytesMax,
      leaseSeconds,
    }
    // It was looked up just before the first batch; what changed about it since counts from the next batch on.
    const [target, claimed] = await Promise.all([
      isFirst ? this.#target : findDeliveryTarget(this.#db, this.#services, this.#target.id),
      claimMessages(this.#db, claim),
    ])
    this.#ready.push(...claimed)
    const bytes = claimed.reduce((sum, { payload }) => sum + payload.length, 0)
    this.#drained = this.#probing || (claimed.length < limit && bytes < batchBytesMax)
    if (target) this.#target = target
    else this.#halted = true
  }

  async #send(message: ClaimedMessage): Promise<void> {
    if (this.#sending.size === 0) this.#movedAt = performance.now()
    this.#sending.add(message)
    try {
      const attempt = await attemptDelivery(this.#services, this.#target, this.#projectId, message, this.#cancel.signal)
      if (attempt.outcome === 'cancelled') this.#released.push(message)
      else if (attempt.outcome === 'unsent') this.#leaveForLater(message)
      else this.#note(message, attempt)
    } catch (error) {
      this.#fault ??= { error }
    }
    this.#sending.delete(message)
    this.#movedAt = performance.now()
    this.#wake()
  }

  /** Our own resolver is busy: all that waits here would find it busy too. It says nothing about the destination. */
  #leaveForLater(message: ClaimedMessage): void {
    this.#releasedDelayMs = unsentDelayMs
    this.#released.push(message)
    this.#halted = true
    this.#drained = true
  }

  #note(message: ClaimedMessage, attempt: Attempt): void {
    const { attempts, attemptDuration } = this.#services.metrics
    attempts.inc({ outcome: attempt.outcome === 'delivered' ? 'delivered' : 'failed' })
    attemptDuration.observe(attempt.durationMs / 1_000)
    if (this.#ended.length === 0) this.#firstEndedAt = performance.now()
    this.#ended.push({ message, attempt })
    if (attempt.outcome === 'delivered') {
      this.#failuresInARow = 0
      this.#delivered++
    } else this.#failuresInARow++
    if (attempt.outcome === 'gone' || this.#failuresInARow >= breakerFailures) this.#halted = true
  }

  async #settle(): Promise<void> {
    const ended = this.#ended.splice(0)
    const released = this.#released.splice(0)
    const settlements = [
      ...ended.map(({ message, attempt }) => this.#settlement(message, attempt)),
      ...released.map((message) => this.#release(message)),
    ]
    const { id, urlChanges, failureCount, probeAt, probeRung } = this.#target
    const lastSuccess = ended.findLastIndex(({ attempt }) => attempt.outcome === 'delivered')
    const failures = ended.length - 1 - lastSuccess
    const succeeded = lastSuccess >= 0
    if (failures === 0 && (!succeeded || (failureCount === 0 && probeAt === null)) && !this.#probing)
      return settleMessages(this.#db, id, settlements)

    const gone = ended.some(({ attempt }) => attempt.outcome === 'gone')
    const destination = { id, urlChanges }
    await this.#db.transaction(async (tx) => {
      await settleMessages(tx, id, settlements)
      const health = await updateDestinationHealth(tx, destination, {
        succeeded,
        failures,
        probing: this.#probing && ended.length > 0,
        probeDelayMs: probeDelayMs(this.#probing && !succeeded ? probeRung + 1 : 0, this.#random()),
      })
      const reason = gone ? goneReason : failures > 0 && health?.lasting ? lastingReason : undefined
      const name = reason === undefined ? undefined : await disableDestination(tx, destination, reason)
      if (name !== undefined)
        await this.#services.hooks.destinationChanged(tx, { destinationId: id, name, kind: 'disabled' })
    })
    // What is known of the failures until the destination is looked up again.
    this.#target.failureCount = succeeded ? failures : failureCount + failures
    if (succeeded && failures === 0) this.#target.probeAt = null
  }

  #release({ id, token, attempt }: ClaimedMessage): Settlement {
    const delayMs = this.#releasedDelayMs * (0.5 + this.#random())
    return { id, token, attempt, state: 'pending', delayMs }
  }

  #settlement({ id, token, attempt: before, ladderFrom }: ClaimedMessage, attempt: Attempt): Settlement {
    const { outcome, retryAfterMs, status, error, response, durationMs } = attempt
    const number = before + 1
    const ended = {
      durationMs,
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error }),
      ...(response !== undefined && { response }),
    }
    if (outcome === 'delivered') return { id, token, attempt: number, state: 'delivered', delayMs: 0, ended }
    const delayMs = retryDelayMs(number - ladderFrom, this.#random(), retryAfterMs)
    if (delayMs === undefined) return { id, token, attempt: number, state: 'failed', delayMs: 0, ended }
    return { id, token, attempt: number, state: 'pending', delayMs, ended }
  }

  async #renew(): Promise<void> {
    const held = [...this.#ready, ...this.#sending, ...this.#ended.map(({ message }) => message)]
    if (held.length === 0) return
    try {
      await renewLeases(this.#db, held, leaseSeconds)
    } catch (error) {
      this.#services.log.warn({ err: error }, 'failed to renew the leases of messages')
    }
  }

  #track(work: Promise<void>, slot: 'claiming' | 'settling'): Promise<void> {
    return work
      .catch((error: unknown) => {
        this.#fault ??= { error }
      })
      .finally(() => {
        if (slot === 'claiming') this.#claiming = undefined
        else this.#settling = undefined
        this.#wake()
      })
  }
}

const goneReason = 'The endpoint answered 410 Gone.'
const lastingReason = 'Every attempt of the last five days failed.'
