import type { Database } from '../../../kernel/db/index.ts'
import type { FindRole, FoundRole, RolePlace } from '../../../kernel/http/index.ts'
import { type ChangedCredential, credentialsTopic, NodeCache, type PubSub } from '../../../kernel/pubsub/index.ts'
import { findRoleInOrg, findRoleInProject } from './membership-store.ts'

/** How long a role, and the name of a project, is kept at most where a notification was lost. */
const cacheMs = 5_000
const cacheEntries = 10_000

/**
 * Looks up which role a builder has in an organisation, or in that of a project. Runs on every request of a builder:
 * roles are kept for five seconds, and simultaneous requests share one look-up. That there is none is never kept, so
 * that a builder who has just joined, or has just created a project, has access at once.
 */
export function createFindRole({
  database,
  pubsub,
  now,
}: {
  database: Pick<Database, 'system'>
  pubsub: Pick<PubSub, 'subscribe'>
  now: () => Date
}): FindRole {
  const roles = new NodeCache<FoundRole, { builderId: string; place: RolePlace }, ChangedCredential>({
    pubsub,
    now,
    entriesMax: cacheEntries,
    maxAgeMs: cacheMs,
    topic: credentialsTopic,
    invalidates: ({ table, id }) => {
      if (table === 'memberships') return ({ key }) => id === undefined || key.startsWith(`${id.toLowerCase()} `)
      if (table === 'projects') return ({ value }) => id === undefined || value?.project?.id === id
      return undefined
    },
    load: (_, { builderId, place }) =>
      'org' in place
        ? findRoleInOrg(database.system, builderId, place.org)
        : findRoleInProject(database.system, builderId, place.project),
  })
  const keyOf = (builderId: string, place: RolePlace) => {
    const [kind, ref] = 'org' in place ? ['org', place.org] : ['project', place.project]
    return `${builderId} ${kind} ${ref.toLowerCase()}`
  }
  const find = (builderId: string, place: RolePlace) => roles.get(keyOf(builderId, place), { builderId, place })
  const again = (builderId: string, place: RolePlace) => roles.reload(keyOf(builderId, place), { builderId, place })
  return Object.assign(find, { again })
}
