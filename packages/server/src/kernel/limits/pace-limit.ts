import type { Lease } from './shared-limits.ts'

/** What is sent first may arrive last: a period is taken to be longer by this part of it, and by half a second at most. */
const latePart = 1 / 4
const lateMostMs = 500
/** A node that others left nothing waits for one turn of theirs, and not for ever where turns are rare. */
const newcomerMostMs = 5_000

export interface TakeOptions {
  /** Ends the wait. */
  signal?: AbortSignal | undefined
  /** Nobody sits and waits for it: while others do, every second turn is theirs. */
  isPatient?: boolean
}

interface Waiter {
  resolve(taken: boolean): void
}

/**
 * At most so many in so many seconds, over all nodes: spread evenly, and a tenth of them at once after a while without any. In no
 * period are there more, whenever it begins, also while shares move between nodes.
 */
export class PaceLimit implements Lease {
  readonly capacity: number
  readonly #periodMs: number
  readonly #renewSoon: () => void
  readonly #queues: { urgent: Waiter[]; patient: Waiter[] } = { urgent: [], patient: [] }
  #timer: NodeJS.Timeout | undefined
  #urgentIsNext = true
  #share = 0
  /** Others hold all of it. */
  #isWithout = false
  /** When the next one is due if all went evenly. */
  #next = 0
  #taken = 0
  usedAt = 0
  isForgotten = false

  constructor(capacity: number, perSeconds: number, renewSoon: () => void) {
    this.capacity = capacity
    const periodMs = perSeconds * 1000
    this.#periodMs = periodMs + Math.min(periodMs * latePart, lateMostMs)
    this.#renewSoon = renewSoon
  }

  get isIdle(): boolean {
    return this.#waiting === 0
  }

  /** A share that shrinks takes effect with the next one that is taken. */
  get needed(): number {
    return 0
  }

  takeWanted(): number {
    const wanted = Math.max(1, this.#taken + this.#waiting)
    this.#taken = 0
    return wanted
  }

  /** How long whoever asks now would wait, as far as this can be known: nothing before the first share is there. */
  waitMs({ isPatient = false }: TakeOptions = {}): number {
    if (this.#share === 0) return 0
    const { urgent, patient } = this.#queues
    const [mine, theirs] = isPatient ? [patient.length, urgent.length] : [urgent.length, patient.length]
    const before = mine + Math.min(mine + 1, theirs)
    return Math.max(0, this.#readyInMs()) + before * this.intervalMs
  }

  /** Takes one. True when it may go now; false when its turn does not come in time. */
  take(waitMs: number, { signal, isPatient = false }: TakeOptions = {}): Promise<boolean> {
    this.usedAt = performance.now()
    this.#taken++
    if (signal?.aborted) return Promise.resolve(false)
    if (this.#share > 0) {
      if (this.#waiting === 0 && this.#readyInMs() <= 0) {
        this.#advance()
        return Promise.resolve(true)
      }
      if (this.waitMs({ isPatient }) > waitMs) return Promise.resolve(false)
    }
    const queue = isPatient ? this.#queues.patient : this.#queues.urgent
    return new Promise((resolve) => {
      const leave = () => {
        const at = queue.indexOf(waiter)
        if (at >= 0) queue.splice(at, 1)
        waiter.resolve(false)
      }
      const timer = setTimeout(leave, waitMs)
      const waiter: Waiter = {
        resolve(taken) {
          clearTimeout(timer)
          signal?.removeEventListener('abort', leave)
          resolve(taken)
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      queue.push(waiter)
      if (this.#share === 0) this.#renewSoon()
      else this.#admit()
    })
  }

  granted(share: number): void {
    if (share > this.#share) {
      this.#share = share
      // What others gave back they may have used just now.
      const soonestMs = this.#isWithout ? Math.min(this.intervalMs, newcomerMostMs) : 0
      this.#next = Math.max(this.#next, performance.now() + this.#burst * this.intervalMs + soonestMs)
    }
    this.#share = share
    this.#isWithout = share === 0
    this.#admit()
  }

  get #waiting(): number {
    return this.#queues.urgent.length + this.#queues.patient.length
  }

  /** What may go at once is taken off the pace. */
  get #burst(): number {
    return Math.floor(this.#share / 10)
  }

  /** Between two turns, with the share of now; of the whole where there is none yet. */
  get intervalMs(): number {
    return this.#periodMs / (this.#share - this.#burst || this.capacity)
  }

  #readyInMs(): number {
    return this.#next - this.#burst * this.intervalMs - performance.now()
  }

  #advance(): void {
    this.#next = Math.max(this.#next, performance.now()) + this.intervalMs
  }

  #admit(): void {
    clearTimeout(this.#timer)
    while (this.#share > 0) {
      const { urgent, patient } = this.#queues
      const isUrgent = patient.length === 0 || (urgent.length > 0 && this.#urgentIsNext)
      const queue = isUrgent ? urgent : patient
      if (queue.length === 0) return
      const ms = this.#readyInMs()
      if (ms > 0) {
        this.#timer = setTimeout(() => this.#admit(), Math.ceil(ms))
        return
      }
      this.#advance()
      this.#urgentIsNext = !isUrgent
      queue.shift()?.resolve(true)
    }
  }
}
