import type { Lease } from './lease.ts'

/**
 * What is sent first may arrive last: a period is taken to be longer by this part of it, and by half a second at most.
 */
const latePart = 1 / 4
const lateMostMs = 500
/** A node that others left nothing waits for one turn of theirs, and not for ever where turns are rare. */
const newcomerMostMs = 5_000

export interface TakeOptions {
  /** Ends the wait. */
  signal?: AbortSignal | undefined
  /** Nobody sits and waits for it: while others do, every second turn is theirs. */
  isBackground?: boolean
}

/** What turns are taken under: one limit, or several at once. */
export interface RateLimiter {
  /** Between two turns as they are given now. */
  readonly intervalMs: number
  /** How long whoever asks now would wait, as far as this can be known: nothing before the first share is there. */
  waitMs(options?: TakeOptions): number
  /** Takes one. True when it may go now; false when its turn does not come in time. */
  take(waitMs: number, options?: TakeOptions): Promise<boolean>
}

interface Waiter {
  /** It wants to hold its turn, and not to take it at once. */
  holds: boolean
  resolve(isItsTurn: boolean): void
}

export interface RateLimiterOptions {
  perSeconds: number
  renewSoon(): void
  /** `performance.now()` since when this node would know of what was taken here. */
  knownSince: number
}

/**
 * At most so many in so many seconds, over all nodes: spread evenly, and a tenth of them at once after a while without
 * any. In no period are there more, whenever it begins, also while shares move between nodes.
 */
export class SharedRateLimiter implements Lease, RateLimiter {
  readonly capacity: number
  readonly #periodMs: number
  readonly #renewSoon: () => void
  readonly #knownSince: number
  readonly #queues: { interactive: Waiter[]; background: Waiter[] } = { interactive: [], background: [] }
  #timer: NodeJS.Timeout | undefined
  #interactiveIsNext = true
  #share = 0
  /** Others hold all of it. */
  #isWithout = false
  /** A turn has come that is neither taken nor given back yet: nobody else has one. */
  #isHeld = false
  /** When the next one is due if all went evenly. */
  #next = 0
  #taken = 0
  usedAt = 0
  isForgotten = false

  constructor(capacity: number, { perSeconds, renewSoon, knownSince }: RateLimiterOptions) {
    this.capacity = capacity
    const periodMs = perSeconds * 1000
    this.#periodMs = periodMs + Math.min(periodMs * latePart, lateMostMs)
    this.#renewSoon = renewSoon
    this.#knownSince = knownSince
  }

  /** Who forgets it before it has rested would give what was taken once more. */
  get isIdle(): boolean {
    return this.#waiting === 0 && !this.#isHeld && this.#next <= performance.now()
  }

  /** A share that shrinks takes effect with the next one that is taken; a turn that is held stays one. */
  get needed(): number {
    return this.#isHeld ? 1 : 0
  }

  takeWanted(): number {
    const wanted = Math.max(1, this.#taken + this.#waiting)
    this.#taken = 0
    return wanted
  }

  /** How many have their turns before whoever asks now. */
  before({ isBackground = false }: TakeOptions = {}): number {
    const { interactive, background } = this.#queues
    const [mine, theirs] = isBackground
      ? [background.length, interactive.length]
      : [interactive.length, background.length]
    return (this.#isHeld ? 1 : 0) + mine + Math.min(mine + 1, theirs)
  }

  waitMs(options: TakeOptions = {}, before = this.before(options)): number {
    if (this.#share === 0) return 0
    return Math.max(0, Math.max(0, this.#next - performance.now()) + (before - this.#burst) * this.intervalMs)
  }

  take(waitMs: number, options: TakeOptions = {}): Promise<boolean> {
    this.asked()
    return this.#turn(waitMs, options, false)
  }

  /** Somebody asks for a turn here, whether there is one or not: the share follows from it. */
  asked(): void {
    this.usedAt = performance.now()
    this.#taken++
  }

  /** As `take`, but nothing is taken yet: the turn is held until `use` or `letGo`, and everybody else waits. */
  hold(waitMs: number, options: TakeOptions = {}): Promise<boolean> {
    return this.#turn(waitMs, options, true)
  }

  /** Takes the turn that is held. */
  use(): void {
    this.#advance()
    this.letGo()
  }

  /** Gives the turn that is held to whoever is next. */
  letGo(): void {
    this.#isHeld = false
    this.#admit()
  }

  #turn(waitMs: number, options: TakeOptions, holds: boolean): Promise<boolean> {
    const { signal, isBackground = false } = options
    if (signal?.aborted) return Promise.resolve(false)
    if (this.#share > 0) {
      if (this.#waiting === 0 && !this.#isHeld && this.#readyInMs() <= 0) {
        this.#give(holds)
        return Promise.resolve(true)
      }
      if (this.waitMs(options) > waitMs) return Promise.resolve(false)
    }
    const queue = isBackground ? this.#queues.background : this.#queues.interactive
    return new Promise((resolve) => {
      const leave = () => {
        const at = queue.indexOf(waiter)
        if (at >= 0) queue.splice(at, 1)
        waiter.resolve(false)
      }
      const timer = setTimeout(leave, waitMs)
      const waiter: Waiter = {
        holds,
        resolve(isItsTurn) {
          clearTimeout(timer)
          signal?.removeEventListener('abort', leave)
          resolve(isItsTurn)
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
      // What others gave back they may have used just now. Where nobody has any, nobody has used any since this node
      // began, or it has rested: who has not rested does not give it back.
      const isUnused = this.#share === 0 && !this.#isWithout && share === this.capacity
      this.#share = share
      const soonestMs = this.#isWithout ? Math.min(this.intervalMs, newcomerMostMs) : 0
      const usedAt = isUnused ? this.#knownSince : performance.now()
      this.#next = Math.max(this.#next, usedAt + this.#burst * this.intervalMs + soonestMs)
    }
    this.#share = share
    this.#isWithout = share === 0
    this.#admit()
  }

  get #waiting(): number {
    return this.#queues.interactive.length + this.#queues.background.length
  }

  /** What may go at once is taken off the rate. */
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

  #give(holds: boolean): void {
    if (holds) this.#isHeld = true
    else this.#advance()
  }

  #advance(): void {
    this.#next = Math.max(this.#next, performance.now()) + this.intervalMs
  }

  #admit(): void {
    clearTimeout(this.#timer)
    while (this.#share > 0 && !this.#isHeld) {
      const { interactive, background } = this.#queues
      const isInteractive = background.length === 0 || (interactive.length > 0 && this.#interactiveIsNext)
      const queue = isInteractive ? interactive : background
      if (queue.length === 0) return
      const ms = this.#readyInMs()
      if (ms > 0) {
        this.#timer = setTimeout(() => this.#admit(), Math.ceil(ms))
        return
      }
      const next = queue.shift()
      this.#give(next?.holds === true)
      this.#interactiveIsNext = !isInteractive
      next?.resolve(true)
    }
  }
}
