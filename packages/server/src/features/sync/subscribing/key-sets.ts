import type { Outbound } from '../../../kernel/net/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'

/** How long a key set is used. Providers publish a key well before they sign with it. */
const maxAgeMs = 3_600_000
/** How long a key set is used if its URL cannot be reached. */
const staleMaxAgeMs = 24 * 3_600_000
/** How long after a failed request the next one is sent. */
const retryMs = 5_000
const timeoutMs = 5_000
const bytesMax = 64 * 1_024

/** Key sets (JWKS) that providers publish, as text. */
export interface KeySets {
  /** Returns the key set at a URL of a provider file; empty while it was never available. */
  get(url: string): Promise<string>
}

export function createKeySets({ outbound, now, log }: { outbound: Outbound; now: () => Date; log: Logger }): KeySets {
  const known = new Map<string, { text: string; time: number; next: number }>()
  const loading = new Map<string, Promise<string>>()

  async function load(url: string): Promise<string> {
    const before = known.get(url)
    const time = now().getTime()
    try {
      const headers = { accept: 'application/json' }
      const answer = await outbound.request({ method: 'GET', url, headers, timeoutMs, maxBytes: bytesMax })
      if (answer.status !== 200) throw new Error(`status ${answer.status}`)
      const text = answer.body.toString('utf8')
      // A page of HTML must not take the place of keys.
      if (!Array.isArray((JSON.parse(text) as { keys?: unknown } | null)?.keys)) throw new Error('no key set')
      known.set(url, { text, time, next: time + maxAgeMs })
      return text
    } catch (error) {
      log.warn({ err: error, url }, 'failed to request the keys that verify events')
      const text = before && time - before.time < staleMaxAgeMs ? before.text : ''
      known.set(url, { text, time: before?.time ?? 0, next: time + retryMs })
      return text
    }
  }

  return {
    async get(url) {
      const found = known.get(url)
      if (found && now().getTime() < found.next) return found.text
      const underWay = loading.get(url) ?? load(url).finally(() => loading.delete(url))
      loading.set(url, underWay)
      return underWay
    },
  }
}
