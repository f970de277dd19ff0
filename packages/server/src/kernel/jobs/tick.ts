import type { Logger } from '../telemetry/index.ts'

/**
 * Work that every node looks for on its own clock, e.g. claiming what is due. What two nodes must not both do, it
 * claims.
 */
export interface Tick {
  name: string
  everyMs: number
  /** Answers whether there may be more at once. */
  run: (signal: AbortSignal) => Promise<boolean>
}

/** Runs ticks until stopped; an error is logged and the next one comes as if nothing had happened. */
export function startTicks(ticks: Tick[], log: Logger): { stop(): Promise<void>; wake(name: string): void } {
  const controller = new AbortController()
  const wakeUps = new Map<string, () => void>()
  // Woken while they ran: what they were woken for may have come after they looked.
  const woken = new Set<string>()
  const loops = ticks.map(async (tick) => {
    while (!controller.signal.aborted) {
      let more = false
      woken.delete(tick.name)
      try {
        more = await tick.run(controller.signal)
      } catch (error) {
        if (!controller.signal.aborted) log.warn({ err: error, tick: tick.name }, 'tick failed')
      }
      if (!more && !woken.has(tick.name) && !controller.signal.aborted) await pause(tick)
    }
  })
  function pause(tick: Tick): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        wakeUps.delete(tick.name)
        resolve()
      }
      const timer = setTimeout(done, tick.everyMs)
      wakeUps.set(tick.name, done)
    })
  }
  return {
    wake(name) {
      woken.add(name)
      wakeUps.get(name)?.()
    },
    async stop() {
      controller.abort()
      for (const wake of wakeUps.values()) wake()
      await Promise.all(loops)
    },
  }
}
