import { breakerFailures } from '../destinations/index.ts'
import type { AddedRun, ClaimedMessage } from '../messages/index.ts'
import { claimDue, lookAgainMs, wantsMore } from './claim-due.ts'
import { renewEveryMs, sliceMs, stalledMs, stopGraceMs } from './delivery-rules.ts'
import { closeTargets, type DeliveryState } from './delivery-state.ts'
import { renewClaims } from './renew-leases.ts'
import { sendBatch } from './send-batch.ts'
import { continueSequences, takeFree } from './sequences.ts'
import { mustSettle, settleEnded, settleWithinMs } from './settle-ended.ts'
import { isLingering, takeOver } from './take-over.ts'

/**
 * One run of the delivery worker: a loop that starts all possible work and waits until something changes. The next
 * claim and the last settlement run while messages are being sent.
 */
export class DeliveryRun {
  readonly #state: DeliveryState
  readonly #signal: AbortSignal
  readonly #yieldSlot: () => boolean
  /** Whether the run yielded its slot to another destination and takes no new messages. */
  hasYielded = false
  #claiming: Promise<void> | undefined
  #settling: Promise<void> | undefined
  /** Time until the rate limit of the project permits the next message; 0 if it does now. */
  #rateWaitMs = 0
  #fault: { error: unknown } | undefined
  #wake: () => void = () => undefined

  constructor(state: DeliveryState, { signal, yieldSlot }: { signal: AbortSignal; yieldSlot: () => boolean }) {
    this.#state = state
    this.#signal = signal
    this.#yieldSlot = yieldSlot
  }

  /** Returns whether there may be more to send; for a probe, whether the destination answered it. */
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
      // After a fault nothing is settled: the leases end, and a later claim finds the messages again.
      if (this.#fault) state.cancel.abort(new Error('the delivery failed'))
      await Promise.all([this.#claiming, this.#settling])
      await this.#allSent()
      await closeTargets(state)
    }
    if (this.#fault) throw this.#fault.error
    return state.probing ? state.answered > 0 : !state.isDrained && state.failuresInARow < breakerFailures
  }

  async #loop(until: number): Promise<void> {
    const handover = this.#startHandover()
    try {
      while (this.#fault === undefined) {
        const changed = new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        if (performance.now() > until) this.#state.isHalted = true
        this.#step()
        handover?.hasRoom()
        if (!this.hasYielded && this.#isStalled() && this.#yieldSlot()) this.#stopForOthers()
        if (this.#isIdle()) break
        await this.#changedWithin(changed, this.#restMs())
      }
    } finally {
      // In the same turn in which the run was found idle, so that it takes nothing over that it would not send.
      handover?.remove()
    }
  }

  /**
   * Lets the run take over messages that are posted here. A probe takes none, collected ones wait, and older messages
   * may precede those in order.
   */
  #startHandover(): AddedRun | undefined {
    const { services, db, target, probing } = this.#state
    if (probing || target.collecting || target.isOrdered) return undefined
    return services.handover.add(
      db.projectId,
      target.name,
      takeOver(this.#state, () => this.#wake()),
    )
  }

  /** Starts all work that can start now. */
  #step(): void {
    const state = this.#state
    if (state.isHalted) state.released.push(...state.ready.splice(0))
    else if (!this.#claiming && wantsMore(state)) this.#claiming = this.#track(claimDue(state), 'claiming')
    this.#rateWaitMs = 0
    const { collecting, kind } = state.target
    while (!state.isHalted && state.batches < (collecting ?? kind.limits).concurrency) {
      const batch = this.#nextBatch()
      if (batch.length === 0) break
      void this.#track(sendBatch(state, batch), 'sending')
    }
    if (!this.#settling && mustSettle(state))
      this.#settling = this.#track(
        settleEnded(state).then(() => continueSequences(state)),
        'settling',
      )
  }

  /** Returns the messages of one batch, as many as the rate limit of the project permits now. */
  #nextBatch(): ClaimedMessage[] {
    const { ready, services, target, db } = this.#state
    const batchMax = target.collecting?.count ?? target.kind.limits.maxBatch
    const batch: ClaimedMessage[] = []
    while (ready.length > 0 && batch.length < batchMax) {
      const message = takeFree(this.#state, batch)
      if (!message) break
      this.#rateWaitMs = services.deliveryRate.take(db.projectId)
      if (this.#rateWaitMs > 0) {
        ready.unshift(message)
        break
      }
      batch.push(message)
    }
    return batch
  }

  /** After a fault, canceled batches may still be ending. */
  async #allSent(): Promise<void> {
    while (this.#state.batches > 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
  }

  #isIdle(): boolean {
    const { ready, sending, ended, released, reserved, isHalted, isDrained } = this.#state
    const open = ready.length + sending.size + ended.length + released.length + reserved
    const isOver = isHalted || (isDrained && !isLingering(this.#state))
    return open === 0 && !this.#claiming && !this.#settling && isOver
  }

  /** Returns how long to wait, unless something changes. */
  #restMs(): number {
    const { sending, isHalted } = this.#state
    const restMs = sending.size > 0 && !isHalted ? lookAgainMs : settleWithinMs
    return this.#rateWaitMs > 0 ? Math.min(restMs, this.#rateWaitMs) : restMs
  }

  #isStalled(): boolean {
    const { sending, movedAt } = this.#state
    if (sending.size === 0) return isLingering(this.#state)
    return performance.now() - movedAt >= stalledMs || this.#waitsForName()
  }

  /** Many names may never resolve: while one is looked up, another destination gets the slot. */
  #waitsForName(): boolean {
    const { services, target } = this.#state
    try {
      const host = target.kind.host(target.settings)
      return host !== undefined && services.names.known(host) === undefined
    } catch {
      return false
    }
  }

  /** Takes no new messages. Releases those in memory, so that the next run claims them. */
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
