import { type Kysely, sql } from 'kysely'
import { isId, prepared, type Tables } from '../../../kernel/db/index.ts'
import type { CallerProject, OrgRole } from '../../../kernel/http/index.ts'
import { roleOf, type StoredRole, storedRole } from '../projects/index.ts'

/** Finds a builder's role in an organization. */
export async function findRoleInOrg(
  system: Kysely<Tables>,
  builderId: string,
  orgId: string,
): Promise<{ role: OrgRole; orgId: string } | undefined> {
  if (!isId(orgId)) return undefined
  const { rows } = await sql<StoredRole & { orgId: string }>`${prepared}
    select role, member_role, org_id as "orgId" from memberships
     where org_id = ${orgId} and builder_id = ${builderId}`.execute(system)
  const [row] = rows
  return row && { role: roleOf(row), orgId: row.orgId }
}

/** Finds a builder's role in the organization that owns a project. Takes the project's id, or its name in any case. */
export async function findRoleInProject(
  system: Kysely<Tables>,
  builderId: string,
  idOrName: string,
): Promise<{ role: OrgRole; orgId: string; project: CallerProject } | undefined> {
  const { rows } = await sql<StoredRole & { id: string; name: string; orgId: string }>`${prepared}
    select project.id, project.name, project.org_id as "orgId", membership.role, membership.member_role
      from projects project
      join memberships membership on membership.org_id = project.org_id and membership.builder_id = ${builderId}
     where ${isId(idOrName) ? sql`project.id = ${idOrName}` : sql`project.name = ${idOrName.toLowerCase()}`}`.execute(
    system,
  )
  const [row] = rows
  return row && { role: roleOf(row), orgId: row.orgId, project: { id: row.id, name: row.name, orgId: row.orgId } }
}

/** Adds a builder as a member; returns whether it did. An existing role stays as it is. */
export async function insertMembership(
  tx: Kysely<Tables>,
  membership: { orgId: string; builderId: string; role: OrgRole },
): Promise<boolean> {
  const row = await tx
    .insertInto('memberships')
    .values({ org_id: membership.orgId, builder_id: membership.builderId, ...storedRole(membership.role) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('org_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Lists the organizations of a builder, in the order of joining. */
export async function listMemberships(
  system: Kysely<Tables>,
  builderId: string,
): Promise<{ orgId: string; role: OrgRole }[]> {
  const { rows } = await sql<StoredRole & { orgId: string }>`${prepared}
    select org_id as "orgId", role, member_role from memberships where builder_id = ${builderId}
    order by create_time, org_id`.execute(system)
  return rows.map((row) => ({ orgId: row.orgId, role: roleOf(row) }))
}

export async function updateRole(
  tx: Kysely<Tables>,
  member: { orgId: string; builderId: string; role: OrgRole },
): Promise<void> {
  await tx
    .updateTable('memberships')
    .set(storedRole(member.role))
    .where('org_id', '=', member.orgId)
    .where('builder_id', '=', member.builderId)
    .execute()
}

export async function deleteMembership(
  tx: Kysely<Tables>,
  member: { orgId: string; builderId: string },
): Promise<void> {
  await tx
    .deleteFrom('memberships')
    .where('org_id', '=', member.orgId)
    .where('builder_id', '=', member.builderId)
    .execute()
}

/** Returns whether an organization has another owner than this member. */
export async function hasOtherOwner(
  tx: Kysely<Tables>,
  member: { orgId: string; builderId: string },
): Promise<boolean> {
  const row = await tx
    .selectFrom('memberships')
    .select('builder_id')
    .where('org_id', '=', member.orgId)
    .where('builder_id', '!=', member.builderId)
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
