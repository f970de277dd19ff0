/** Lets callers wait until something holds; nobody polls. */
export interface Condition<T> {
  /** Checks all waiting predicates against the present state. */
  check(): void
  /**
   * Resolves with the state as soon as the predicate holds, which may be now.
   * @throws Error after `timeoutMs`, or when the condition is closed; its message shows the last state
   */
  waitFor(predicate: (state: T) => boolean, timeoutMs: number): Promise<T>
  /** Rejects everyone who waits, now and from now on. */
  close(): void
}

export function createCondition<T>(read: () => T): Condition<T> {
  const waiting = new Set<{ predicate: (state: T) => boolean; settle: (state: T, error?: Error) => void }>()
  let closed = false

  return {
    check() {
      if (waiting.size === 0) return
      const state = read()
      for (const { predicate, settle } of waiting) {
        try {
          if (predicate(state)) settle(state)
        } catch (cause) {
          settle(state, new Error('the predicate failed', { cause }))
        }
      }
    },

    async waitFor(predicate, timeoutMs) {
      const now = read()
      if (predicate(now)) return now
      if (closed) throw new Error('closed')
      return await new Promise<T>((resolve, reject) => {
        const waiter = {
          predicate,
          settle(state: T, error?: Error) {
            clearTimeout(timer)
            waiting.delete(waiter)
            if (error) reject(error)
            else resolve(state)
          },
        }
        const giveUp = () => {
          const state = read()
          waiter.settle(state, new Error(`not within ${timeoutMs} ms: ${JSON.stringify(state)}`))
        }
        const timer = setTimeout(giveUp, timeoutMs)
        waiting.add(waiter)
      })
    },

    close() {
      closed = true
      for (const { settle } of waiting) settle(read(), new Error(`closed at ${JSON.stringify(read())}`))
    },
  }
}
