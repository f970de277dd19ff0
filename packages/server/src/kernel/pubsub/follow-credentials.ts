import type { Logger } from '../telemetry/index.ts'
import type { Signals } from './signals.ts'

/** The topic that the database publishes on when a key, session or role changes (migration 0040). */
const topic = 'credentials'
/** Longer than a topic's row in `watches` is renewed. */
const waitMs = 60_000

/** Calls `changed` whenever a credential may have changed on any node. Returns a function that ends this. */
export function followCredentials({ signals, log }: { signals: Signals; log: Logger }, changed: () => void) {
  const ended = new AbortController()
  const { inbox, ready, release } = signals.watch(topic)
  const follow = async () => {
    await ready
    while (!ended.signal.aborted) {
      await inbox.wait(waitMs, ended.signal)
      inbox.take(Number.POSITIVE_INFINITY)
      if (inbox.takeLook()) changed()
    }
  }
  follow()
    .catch((error: unknown) => log.warn({ err: error }, 'failed to subscribe to changes of credentials; polling'))
    .finally(release)
  return () => ended.abort()
}
