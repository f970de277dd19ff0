import type { Catalogue } from '@mortise/providers'
import type { Database } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { NodeCache, type PubSub, topic } from '../../../../kernel/pubsub/index.ts'
import { entryOfConnection } from '../../connection-inputs/index.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

export type SnapshotServices = {
  database: Database
  pubsub: PubSub
  keyring: Keyring
  catalogue: Catalogue
  now: () => Date
}

/** How long a snapshot is cached, and so how long after its last use a credential stays in memory. */
const maxAgeMs = 5 * 60_000
/** The same while this node cannot receive notifications. */
const disconnectedMaxAgeMs = 1_000
const snapshotsMax = 10_000
const dropStaleEveryMs = 60_000

interface ConnectionName {
  projectId: string
  connectionId: string
}

/** Triggers on the tables publish it, so that no writer can forget to (migration 0013). */
const connectionsTopic = topic<ConnectionName>('connections', {
  format: keyOf,
  parse(text) {
    const [projectId, connectionId] = text.split(' ')
    return projectId !== undefined && connectionId !== undefined ? { projectId, connectionId } : undefined
  },
})

/** Caches snapshots of the connections that this node uses. */
export class Snapshots {
  readonly #cache: NodeCache<Snapshot, ConnectionName, ConnectionName>
  readonly #catalogue: SnapshotServices['catalogue']
  readonly #pubsub: PubSub
  readonly #dropping: NodeJS.Timeout

  constructor(services: SnapshotServices) {
    this.#catalogue = services.catalogue
    this.#pubsub = services.pubsub
    this.#cache = new NodeCache({
      pubsub: services.pubsub,
      now: services.now,
      entriesMax: snapshotsMax,
      maxAgeMs,
      disconnectedMaxAgeMs,
      topic: connectionsTopic,
      invalidates: keyOf,
      load: (_, { projectId, connectionId }) =>
        takeSnapshot(services.database.forProject(projectId), services, connectionId),
    })
    this.#dropping = setInterval(() => this.#cache.dropStale(), dropStaleEveryMs).unref()
  }

  /** @throws ConnectionNotFound, NoConnector */
  async get(projectId: string, connectionId: string): Promise<Snapshot> {
    const name = { projectId, connectionId }
    const key = keyOf(name)
    const found = this.#current(key, name) ?? (await this.#cache.get(key, name))
    if (!found) throw new Error('a connection was looked up without an answer')
    return found
  }

  /**
   * Returns a function that returns the snapshot of a connection if it is cached, without awaiting anything. It builds
   * the key once, so that V8 hashes it only once.
   */
  peekAt(projectId: string, connectionId: string): () => Snapshot | undefined {
    const name = { projectId, connectionId }
    const key = keyOf(name)
    return () => this.#current(key, name)
  }

  /** Returns the cached snapshot, unless the provider's file has changed since. */
  #current(key: string, name: ConnectionName): Snapshot | undefined {
    const found = this.#cache.peek(key, name)
    if (found === undefined || entryOfConnection(this.#catalogue, found.row) === found.entry) return found
    this.#cache.delete(key)
    return undefined
  }

  /** Invalidates a connection on this node immediately. */
  forget(projectId: string, connectionId: string): void {
    this.#pubsub.notifyLocal(connectionsTopic, { projectId, connectionId })
  }

  stop(): void {
    clearInterval(this.#dropping)
    this.#cache.close()
  }
}

function keyOf({ projectId, connectionId }: ConnectionName): string {
  return `${projectId} ${connectionId}`
}
