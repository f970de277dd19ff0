import { LRUCache } from 'lru-cache'
import { Listener } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { entryOfConnection } from '../entry-of-connection.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

export type SnapshotServices = Pick<Services, 'database' | 'keyring' | 'catalogue' | 'now' | 'log'>

/** How long one is believed while changes are heard of, and no credential is held for longer after its last use. */
const heardMs = 5 * 60_000
/** The same while nobody listens. */
const deafMs = 1_000
const snapshotsMax = 10_000
const sweepMs = 60_000

/** Filled by triggers on the tables, so that every writer tells (migration 0013). */
const channel = 'mortise_connections'

/**
 * Snapshots of the connections that this node uses. One that is changed anywhere is forgotten when the change has
 * committed and was heard of; what is looked up while that happens is not kept. While the connection that listens is
 * broken, nothing is believed for longer than a second.
 */
export class Snapshots {
  readonly #cache: LRUCache<string, Snapshot>
  readonly #catalogue: SnapshotServices['catalogue']
  readonly #listener: Listener
  readonly #sweep: NodeJS.Timeout
  #listening = false
  #started = false

  constructor(services: SnapshotServices) {
    const { database, log, now } = services
    this.#catalogue = services.catalogue
    this.#cache = new LRUCache({
      max: snapshotsMax,
      ttl: heardMs,
      ttlResolution: 0,
      perf: { now: () => now().getTime() },
      // A look-up that runs while its connection is changed still answers those who wait for it, and is not kept.
      ignoreFetchAbort: true,
      fetchMethod: async (key) => {
        const [projectId, connectionId] = key.split(' ') as [string, string]
        return takeSnapshot(services.database.forProject(projectId), services, connectionId)
      },
    })
    this.#listener = new Listener({
      connect: database.connect,
      channel,
      heard: (key) => this.#cache.delete(key),
      listening: () => {
        this.#listening = true
        this.#cache.clear()
      },
      deaf: () => {
        this.#listening = false
      },
      log,
    })
    this.#sweep = setInterval(() => this.#cache.purgeStale(), sweepMs).unref()
  }

  /** @throws ConnectionNotFound, NoConnector */
  async get(projectId: string, connectionId: string): Promise<Snapshot> {
    if (!this.#started) {
      this.#started = true
      void this.#listener.start()
    }
    const key = `${projectId} ${connectionId}`
    const found = this.#current(key) ?? (await this.#fetch(key))
    return found
  }

  async #fetch(key: string): Promise<Snapshot> {
    const ttl = this.#listening ? heardMs : deafMs
    const snapshot = await this.#cache.fetch(key, { ttl })
    // Only a fetch that was aborted has none, and none is.
    if (!snapshot) throw new Error('a connection was looked up without an answer')
    return snapshot
  }

  /** Whether there is one that is believed: nothing has to be awaited then. */
  peek(projectId: string, connectionId: string): Snapshot | undefined {
    return this.#current(`${projectId} ${connectionId}`)
  }

  /** What is kept, unless the provider's file has changed since. */
  #current(key: string): Snapshot | undefined {
    const found = this.#cache.get(key)
    if (found === undefined || entryOfConnection(this.#catalogue, found.row) === found.entry) return found
    this.#cache.delete(key)
    return undefined
  }

  forget(projectId: string, connectionId: string): void {
    this.#cache.delete(`${projectId} ${connectionId}`)
  }

  async stop(): Promise<void> {
    clearInterval(this.#sweep)
    this.#cache.clear()
    await this.#listener.stop()
  }
}
