import type { ChangedRows } from './rows.ts'

/** The rows that one stream was notified of and has not fetched yet. Bounded: beyond that, the stream has to look. */
export class Backlog {
  static readonly idsMax = 10_000
  readonly #ids = new Map<string, ChangedRows['what']>()
  #mustLook = false
  #wake: () => void = () => undefined

  receive({ what, ids }: ChangedRows): void {
    if (ids === undefined || this.#ids.size + ids.length > Backlog.idsMax) {
      this.#ids.clear()
      this.#mustLook = true
    } else for (const id of ids) if (!this.#ids.has(id)) this.#ids.set(id, what)
    this.#wake()
  }

  /** Notifications may have been missed: the stream has to look for itself. */
  missed(): void {
    this.#mustLook = true
    this.#wake()
  }

  takeMissed(): boolean {
    const must = this.#mustLook
    this.#mustLook = false
    return must
  }

  take(max: number): Map<string, ChangedRows['what']> {
    const taken = new Map([...this.#ids.entries()].slice(0, max))
    for (const id of taken.keys()) this.#ids.delete(id)
    return taken
  }

  /** Resolves when there is something, when the time is over, or when the signal ends. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#ids.size > 0 || this.#mustLook || signal.aborted) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
      signal.addEventListener('abort', this.#wake, { once: true })
    })
    signal.removeEventListener('abort', this.#wake)
    this.#wake = () => undefined
  }
}
