import { LRUCache } from 'lru-cache'
import { entriesAtMost } from '../entries-max.ts'
import type { PubSub } from './pubsub.ts'
import type { Subscription } from './subscription.ts'
import type { Topic } from './topic.ts'

export interface NodeCacheOptions<V, C, P> {
  pubsub: Pick<PubSub, 'subscribe'>
  now: () => Date
  entriesMax: number
  /** How long a value is kept although no notification came: what a lost one can cost. */
  maxAgeMs: number
  /** The same while notifications cannot be received. Defaults to `maxAgeMs`. */
  disconnectedMaxAgeMs?: number
  /** Loads a value again in the background after half of its age, so that no request waits for it. */
  refreshesAhead?: boolean
  /** Whether it is also kept that there is no value. */
  keepsMissing?: boolean
  /** What changes values: a payload invalidates one key, or the entries that it matches. */
  topic: Topic<P>
  invalidates: (payload: P) => string | ((entry: { key: string; value: V | undefined }) => boolean) | undefined
  /** Called with what could not be loaded again in the background; requests see their own failures. */
  refreshFailed?: (error: unknown) => void
  load: (key: string, context: C) => Promise<V | undefined>
}

interface Entry<V> {
  value: V | undefined
  loadedAt: number
}

/**
 * Values of the database that one node keeps for a while. A change is notified when it has committed, and the longest
 * age bounds what a lost notification costs. A value that was loading while its key was invalidated still answers those
 * who wait for it, and is not kept. Simultaneous requests for a key share one load.
 */
export class NodeCache<V, C = undefined, P = never> {
  readonly #options: NodeCacheOptions<V, C, P>
  readonly #entries: LRUCache<string, Entry<V>, { context: C }>
  readonly #status: LRUCache.Status<string, Entry<V>, { context: C }> = {}
  readonly #loading = new Map<string, number>()
  #subscription: Subscription | undefined
  #disconnectedAt: number | undefined
  /**
   * What `peek` found. It returns it again until it is too old or due, or until any entry is invalidated, loaded or
   * deleted. The cache itself takes several times as long, and a proxied request asks five times.
   */
  readonly #seen = new Map<string, { value: V | undefined; until: number }>()

  constructor(options: NodeCacheOptions<V, C, P>) {
    this.#options = options
    const { now, entriesMax, maxAgeMs } = options
    this.#disconnectedAt = now().getTime()
    this.#entries = new LRUCache({
      ...entriesAtMost(entriesMax),
      ttl: maxAgeMs,
      ttlResolution: 0,
      perf: { now: () => now().getTime() },
      ignoreFetchAbort: true,
      // A value that cannot be loaded again is kept for as long as it would have been.
      noDeleteOnFetchRejection: true,
      fetchMethod: (key, _, { context: { context } }) => this.#load(key, context),
    })
  }

  /** Returns the value where it is kept; undefined when it has to be loaded. */
  peek(key: string, context: C): V | undefined {
    const at = this.#options.now().getTime()
    const seen = this.#seen.get(key)
    if (seen && at < seen.until) return seen.value
    const kept = this.#kept(key, context)
    if (kept) this.#seen.set(key, { value: kept.value, until: at + this.#settledMs() })
    return kept?.value
  }

  /** Returns for how long nothing is due for the entry that was looked up last. */
  #settledMs(): number {
    const { maxAgeMs, disconnectedMaxAgeMs, refreshesAhead } = this.#options
    if (this.#disconnectedAt !== undefined && disconnectedMaxAgeMs !== undefined) return 0
    const { remainingTTL = 0 } = this.#status
    return refreshesAhead ? remainingTTL - maxAgeMs / 2 : remainingTTL
  }

  /** Returns the value, and loads it when it is not kept. */
  async get(key: string, context: C): Promise<V | undefined> {
    const kept = this.#kept(key, context)
    return kept ? kept.value : await this.#fetch(key, context, false)
  }

  /** Loads the value whatever is kept, and keeps what it finds. */
  reload(key: string, context: C): Promise<V | undefined> {
    return this.#fetch(key, context, true)
  }

  delete(key: string): void {
    this.#seen.clear()
    this.#entries.delete(key)
  }

  /** Drops values that are too old, e.g. secrets that nobody uses any more. */
  dropStale(): void {
    this.#seen.clear()
    this.#entries.purgeStale()
  }

  /** Drops everything, and ends the subscription. */
  close(): void {
    this.#subscription?.end()
    this.#seen.clear()
    this.#entries.clear()
  }

  #kept(key: string, context: C): Entry<V> | undefined {
    const entry = this.#entries.get(key, { status: this.#status })
    if (!entry) return undefined
    const { maxAgeMs, refreshesAhead, refreshFailed } = this.#options
    if (this.#disconnectedAt !== undefined && this.#isTooOld(entry, this.#disconnectedAt)) {
      this.#entries.delete(key)
      return undefined
    }
    if (refreshesAhead && (this.#status.remainingTTL ?? 0) < maxAgeMs / 2)
      this.#fetch(key, context, true).catch((error: unknown) => refreshFailed?.(error))
    return entry
  }

  #isTooOld({ loadedAt }: Entry<V>, disconnectedAt: number): boolean {
    const { now, disconnectedMaxAgeMs } = this.#options
    return (
      disconnectedMaxAgeMs !== undefined && now().getTime() - Math.max(loadedAt, disconnectedAt) >= disconnectedMaxAgeMs
    )
  }

  async #fetch(key: string, context: C, forceRefresh: boolean): Promise<V | undefined> {
    this.#subscribe()
    const entry = await this.#entries.fetch(key, { context: { context }, forceRefresh })
    this.#seen.clear()
    if (entry?.value === undefined && !this.#options.keepsMissing) this.#entries.delete(key)
    return entry?.value
  }

  async #load(key: string, context: C): Promise<Entry<V>> {
    this.#loading.set(key, (this.#loading.get(key) ?? 0) + 1)
    try {
      const value = await this.#options.load(key, context)
      return { value, loadedAt: this.#options.now().getTime() }
    } finally {
      const others = (this.#loading.get(key) ?? 1) - 1
      if (others === 0) this.#loading.delete(key)
      else this.#loading.set(key, others)
    }
  }

  /** With the first load: what is kept afterwards is notified of. What was loaded before that is dropped again. */
  #subscribe(): void {
    this.#subscription ??= this.#options.pubsub.subscribe(this.#options.topic, {
      receive: (payload) => this.#invalidate(payload),
      missed: () => {
        this.#disconnectedAt = undefined
        this.#seen.clear()
        this.#entries.clear()
      },
      disconnected: () => {
        this.#seen.clear()
        this.#disconnectedAt = this.#options.now().getTime()
      },
    })
  }

  #invalidate(payload: P): void {
    this.#seen.clear()
    const which = this.#options.invalidates(payload)
    if (typeof which === 'string') this.#entries.delete(which)
    else if (which) {
      // What is being loaded may have been read before the change, and nobody knows yet whether it matches.
      for (const key of this.#loading.keys()) this.#entries.delete(key)
      for (const [key, { value }] of this.#entries.entries()) if (which({ key, value })) this.#entries.delete(key)
    }
  }
}
