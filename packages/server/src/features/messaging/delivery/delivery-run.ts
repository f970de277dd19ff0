import { breakerFailures } from '../destinations/index.ts'
import type { ClaimedMessage } from '../messages/index.ts'
import { claimDue, lookAgainMs, wantsMore } from './claim-due.ts'
import { renewEveryMs, sliceMs, stalledMs, stopGraceMs } from './delivery-rules.ts'
import { closeTargets, type DeliveryState } from './delivery-state.ts'
import { renewClaims } from './renew-leases.ts'
import { sendBatch } from './send-batch.ts'
import { mustSettle, settleEnded, settleWithinMs } from './settle-ended.ts'

/**
 * One run of the delivery worker: a loop that starts what can be started, and waits until something changes. The next
 * claim and the last settling run while messages are being sent.
 */
export class DeliveryRun {
  readonly #state: DeliveryState
  readonly #signal: AbortSignal
  readonly #yieldSlot: () => boolean
  /** Whether another destination got its slot: it takes on nothing new. */
  hasYielded = false
  #claiming: Promise<void> | undefined
  #settling: Promise<void> | undefined
  /** Until the rate of the project lets the next message go; 0 when it does. */
  #rateWaitMs = 0
  #fault: { error: unknown } | undefined
  #wake: () => void = () => undefined

  constructor(state: DeliveryState, { signal, yieldSlot }: { signal: AbortSignal; yieldSlot: () => boolean }) {
    this.#state = state
    this.#signal = signal
    this.#yieldSlot = yieldSlot
  }

  /** Returns whether there may be more to send; for a probe, whether it was delivered. */
  async run(): Promise<boolean> {
    const state = this.#state
    const until = performance.now() + sliceMs
    let grace: NodeJS.Timeout | undefined
    const stop = () => {
      state.isHalted = true
      grace = setTimeout(() => state.cancel.abort(new Error('the process is stopping')), stopGraceMs)
      this.#wake()
    }
    if (this.#signal.aborted) stop()
    else this.#signal.addEventListener('abort', stop, { once: true })
    const renewing = setInterval(() => void renewClaims(state), renewEveryMs)
    try {
      await this.#loop(until)
    } finally {
      clearInterval(renewing)
      clearTimeout(grace)
      this.#signal.removeEventListener('abort', stop)
      // After a fault nothing is settled: leases end, and everything is found again.
      if (this.#fault) state.cancel.abort(new Error('the delivery failed'))
      await Promise.all([this.#claiming, this.#settling])
      await this.#allSent()
      await closeTargets(state)
    }
    if (this.#fault) throw this.#fault.error
    return state.probing ? state.delivered > 0 : !state.isDrained && state.failuresInARow < breakerFailures
  }

  async #loop(until: number): Promise<void> {
    while (this.#fault === undefined) {
      const changed = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      if (performance.now() > until) this.#state.isHalted = true
      this.#step()
      if (!this.hasYielded && this.#isStalled() && this.#yieldSlot()) this.#stopForOthers()
      if (this.#isIdle()) break
      await this.#changedWithin(changed, this.#restMs())
    }
  }

  /** Starts whatever can be started now. */
  #step(): void {
    const state = this.#state
    if (state.isHalted) state.released.push(...state.ready.splice(0))
    else if (!this.#claiming && wantsMore(state)) this.#claiming = this.#track(claimDue(state), 'claiming')
    this.#rateWaitMs = 0
    while (!state.isHalted && state.batches < state.target.kind.limits.concurrency) {
      const batch = this.#nextBatch()
      if (batch.length === 0) break
      void this.#track(sendBatch(state, batch), 'sending')
    }
    if (!this.#settling && mustSettle(state)) this.#settling = this.#track(settleEnded(state), 'settling')
  }

  /** As many messages as one batch takes, and as the rate of the project lets go now. */
  #nextBatch(): ClaimedMessage[] {
    const { ready, services, target, db } = this.#state
    const batch: ClaimedMessage[] = []
    while (ready.length > 0 && batch.length < target.kind.limits.maxBatch) {
      this.#rateWaitMs = services.deliveryRate.take(db.projectId)
      if (this.#rateWaitMs > 0) break
      const message = ready.shift()
      if (message) batch.push(message)
    }
    return batch
  }

  /** After a fault, batches that were cancelled may still be ending. */
  async #allSent(): Promise<void> {
    while (this.#state.batches > 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
  }

  #isIdle(): boolean {
    const { ready, sending, ended, released, isHalted, isDrained } = this.#state
    const open = ready.length + sending.size + ended.length + released.length
    return open === 0 && !this.#claiming && !this.#settling && (isHalted || isDrained)
  }

  /** How long to do nothing, unless something changes. */
  #restMs(): number {
    const { sending, isHalted } = this.#state
    const restMs = sending.size > 0 && !isHalted ? lookAgainMs : settleWithinMs
    return this.#rateWaitMs > 0 ? Math.min(restMs, this.#rateWaitMs) : restMs
  }

  #isStalled(): boolean {
    const { sending, movedAt } = this.#state
    return sending.size > 0 && (performance.now() - movedAt >= stalledMs || this.#waitsForName())
  }

  /** Names that never resolve may be many: while one is looked up, another destination gets the slot. */
  #waitsForName(): boolean {
    const { services, target } = this.#state
    try {
      const host = target.kind.host(target.settings)
      return host !== undefined && services.names.known(host) === undefined
    } catch {
      return false
    }
  }

  /** Takes on nothing new. Whoever comes next finds what is given back. */
  #stopForOthers(): void {
    this.hasYielded = true
    this.#state.isHalted = true
    if (this.#state.ready.length > 0) this.#state.isDrained = false
  }

  async #changedWithin(changed: Promise<void>, ms: number): Promise<void> {
    const timer = setTimeout(this.#wake, ms)
    await changed
    clearTimeout(timer)
  }

  #track(work: Promise<void>, step: 'claiming' | 'sending' | 'settling'): Promise<void> {
    return work
      .catch((error: unknown) => {
        this.#fault ??= { error }
      })
      .finally(() => {
        if (step === 'claiming') this.#claiming = undefined
        else if (step === 'settling') this.#settling = undefined
        this.#wake()
      })
  }
}
