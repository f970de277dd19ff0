import { LRUCache } from 'lru-cache'
import type { Database } from '../../../kernel/db/index.ts'
import type { FindRole, RolePlace } from '../../../kernel/http/index.ts'
import { findRoleInOrg, findRoleInProject } from './membership-store.ts'

/**
 * How long a role is believed: one that was lost, or on another node an old name of a project, works for at most this
 * long.
 */
const cacheMs = 5_000
const cacheEntries = 10_000

/** A look-up that remembers for a moment. */
export interface RememberingFindRole extends FindRole {
  /** Looks everything up anew from now on: called when a project was renamed. */
  forget(): void
}

type Found = NonNullable<Awaited<ReturnType<FindRole>>>

/**
 * Looks up which role a builder has in an organisation, or in that of a project. Runs on every request of a builder:
 * roles are kept for five seconds, and simultaneous requests share one look-up. That there is none is never kept, so
 * that whoever has just joined, or has just made a project, finds the door open at once.
 */
export function createFindRole({
  database,
  now,
}: {
  database: Pick<Database, 'system'>
  now: () => Date
}): RememberingFindRole {
  const cache = new LRUCache<string, { found: Found | undefined }, { builderId: string; place: RolePlace }>({
    max: cacheEntries,
    ttl: cacheMs,
    ttlResolution: 0,
    perf: { now: () => now().getTime() },
    // A look-up that runs while all is forgotten still answers those who wait for it, and is not kept.
    ignoreFetchAbort: true,
    // An object, also where there is no role: the library rejects a look-up of `undefined` that was forgotten
    // meanwhile.
    fetchMethod: async (_, __, { context: { builderId, place } }) => ({
      found:
        'org' in place
          ? await findRoleInOrg(database.system, builderId, place.org)
          : await findRoleInProject(database.system, builderId, place.project),
    }),
  })
  const look = async (builderId: string, place: RolePlace, options: { forceRefresh?: boolean } = {}) => {
    const [kind, ref] = 'org' in place ? ['org', place.org] : ['project', place.project]
    const key = `${builderId} ${kind} ${ref.toLowerCase()}`
    const found = (await cache.fetch(key, { context: { builderId, place }, ...options }))?.found
    if (!found) cache.delete(key)
    return found
  }
  const find = (builderId: string, place: RolePlace) => look(builderId, place)
  const again = (builderId: string, place: RolePlace) => look(builderId, place, { forceRefresh: true })
  return Object.assign(find, { again, forget: () => cache.clear() })
}
