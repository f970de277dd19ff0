import type { Database } from '../../../kernel/db/index.ts'
import type { FindRole, FoundRole, RoleScope } from '../../../kernel/http/index.ts'
import { type ChangedCredential, credentialsTopic, NodeCache, type PubSub } from '../../../kernel/pubsub/index.ts'
import { findRoleInOrg, findRoleInProject } from './membership-store.ts'

/** How long a role and a project's name stay cached at most if a notification was lost. */
const cacheMs = 5_000
const cacheEntries = 10_000

/**
 * Finds a builder's role in an organization or in that of a project. It runs on every request of a builder, so roles
 * are cached for five seconds, and concurrent requests share one query. A missing role is not cached, so that a builder
 * who has just joined, or just created a project, has access immediately.
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
  const roles = new NodeCache<FoundRole, { builderId: string; scope: RoleScope }, ChangedCredential>({
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
    load: (_, { builderId, scope: place }) =>
      'org' in place
        ? findRoleInOrg(database.system, builderId, place.org)
        : findRoleInProject(database.system, builderId, place.project),
  })
  const keyOf = (builderId: string, scope: RoleScope) => {
    const [kind, ref] = 'org' in scope ? ['org', scope.org] : ['project', scope.project]
    return `${builderId} ${kind} ${ref.toLowerCase()}`
  }
  const find = (builderId: string, scope: RoleScope) => roles.get(keyOf(builderId, scope), { builderId, scope })
  const again = (builderId: string, scope: RoleScope) => roles.reload(keyOf(builderId, scope), { builderId, scope })
  return Object.assign(find, { again })
}
