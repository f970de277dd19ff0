import type { ObjectMetadata } from './model.ts'

/** The fields of an object as a provider described them. */
export interface DescribedMetadata {
  metadata: ObjectMetadata
  /** There may be fields that are not listed. */
  incomplete?: boolean
  /** Digest of what the provider's file says of them. */
  declaration?: string
}

const keptMs = 30_000
const entriesMax = 200

/**
 * What providers said a moment ago. A page that configures an installation asks for the same objects several times
 * within seconds, and each costs the provider requests that reads need. Short, because people add a field at the
 * provider and then look for it here. Failures are not kept.
 */
export interface MetadataCache {
  get(key: string, now: Date): DescribedMetadata | undefined
  set(key: string, described: DescribedMetadata, now: Date): void
  /** For what was changed from here. */
  delete(key: string): void
}

/** The number of the credential is part of the key: another account is another answer. */
export function metadataKey(
  connection: { id: string; generation: number },
  module: string | undefined,
  object: string,
): string {
  return JSON.stringify([connection.id, connection.generation, module ?? '', object])
}

export function createMetadataCache(): MetadataCache {
  const entries = new Map<string, { described: DescribedMetadata; until: number }>()
  return {
    get(key, now) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.until > now.getTime()) return entry.described
      entries.delete(key)
      return undefined
    },
    delete: (key) => void entries.delete(key),
    set(key, described, now) {
      entries.delete(key)
      entries.set(key, { described, until: now.getTime() + keptMs })
      // The oldest comes first.
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax) break
        entries.delete(oldest)
      }
    },
  }
}

const caches = new WeakMap<object, MetadataCache>()

/** The cache of one service, found by a part of it that lives as long. */
export function metadataCacheOf(owner: object): MetadataCache {
  const known = caches.get(owner)
  if (known) return known
  const cache = createMetadataCache()
  caches.set(owner, cache)
  return cache
}
