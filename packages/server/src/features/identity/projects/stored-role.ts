import type { OrgRole } from '../../../kernel/http/index.ts'

/** A role as memberships and invites store it: nodes of the last release read `role` alone. */
export interface StoredRole {
  role: 'member' | 'owner'
  member_role: Exclude<OrgRole, 'owner'> | null
}

/** Returns the role of a row. A node of the last release leaves `member_role` as it is, so `owner` goes first. */
export function roleOf({ role, member_role }: StoredRole): OrgRole {
  return role === 'owner' ? 'owner' : (member_role ?? 'developer')
}

/** Returns the columns of a role. */
export function storedRole(role: OrgRole): StoredRole {
  return role === 'owner' ? { role, member_role: null } : { role: 'member', member_role: role }
}
