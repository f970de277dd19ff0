/** What one follower has heard and not yet looked at. Bounded: beyond that it is told to look for itself. */
export class Inbox {
  static readonly idsMax = 10_000
  /** By id: whether it was made, or changed. */
  readonly #ids = new Map<string, 'made' | 'changed'>()
  #mustLook = false
  #wake: () => void = () => undefined

  hear(what: 'made' | 'changed', ids: string[] | undefined): void {
    if (ids === undefined || this.#ids.size + ids.length > Inbox.idsMax) {
      this.#ids.clear()
      this.#mustLook = true
    } else for (const id of ids) if (!this.#ids.has(id)) this.#ids.set(id, what)
    this.#wake()
  }

  /** Something may have been missed: it has to look for itself. */
  look(): void {
    this.#mustLook = true
    this.#wake()
  }

  takeLook(): boolean {
    const must = this.#mustLook
    this.#mustLook = false
    return must
  }

  take(most: number): Map<string, 'made' | 'changed'> {
    const taken = new Map([...this.#ids.entries()].slice(0, most))
    for (const id of taken.keys()) this.#ids.delete(id)
    return taken
  }

  /** Until there is something, the time is over, or the signal ends. */
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
