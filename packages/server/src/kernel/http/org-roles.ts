import type { Problem } from './problem.ts'
import { Forbidden } from './problems.ts'

/** Roles of people in an organization. Each one has the rights of those before it. */
export const orgRoles = ['viewer', 'operator', 'developer', 'owner'] as const
export type OrgRole = (typeof orgRoles)[number]

/** Returns whether a role has at least the rights of another one. */
export function isAtLeast(role: OrgRole | undefined, needed: OrgRole): boolean {
  return role !== undefined && orgRoles.indexOf(role) >= orgRoles.indexOf(needed)
}

/** Returns the problem of a person whose role is too low. Its context names the role that is needed. */
export function needsRole(needed: OrgRole, role: OrgRole | undefined, what = 'This'): Problem {
  const orHigher = needed === orgRoles.at(-1) ? '' : ' or higher'
  const yours = role === undefined ? '' : ` Your role is \`${role}\`.`
  return new Forbidden({
    detail: `${what} needs the role \`${needed}\`${orHigher}.${yours}`,
    remedy: 'Ask an owner of the organization to do it, or to change your role.',
    context: { neededRole: needed, ...(role !== undefined && { role }) },
  })
}
