import type { Logger } from '../telemetry/index.ts'

/** Periodic work of every node, such as claiming due rows. It claims what two nodes must not both do. */
export interface Tick {
  name: string
  everyMs: number
  /** Returns whether to run again immediately, because there may be more work. */
  run: (signal: AbortSignal) => Promise<boolean>
}

/**
 * Runs ticks until stopped. Logs an error and continues with the next tick.
 *
 * @param speed how many times as often they run as they declare
 */
export function startTicks(ticks: Tick[], log: Logger, speed = 1): { stop(): Promise<void>; wake(name: string): void } {
  const controller = new AbortController()
  const wakeUps = new Map<string, () => void>()
  // Ticks that were woken while they ran: the new work may have arrived after their query.
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
      const timer = setTimeout(done, tick.everyMs / speed)
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
