/** Roles in an organization, from the one that may do least. */
export const roles = ['viewer', 'operator', 'developer', 'owner'] as const
export type Role = (typeof roles)[number]

/** Returns whether a role includes what another one may do. */
export function includes(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed)
}

/** Reads a role as the service answers it. An older service says `member` or `admin`. */
export function roleOf(name: string | undefined): Role {
  if (name === 'member') return 'developer'
  if (name === 'admin') return 'owner'
  return roles.find((role) => role === name) ?? 'viewer'
}
