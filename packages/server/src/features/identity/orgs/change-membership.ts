import type { Kysely } from 'kysely'
import { isId, type Tables } from '../../../kernel/db/index.ts'
import { NotFound, needsRole, type OrgRole } from '../../../kernel/http/index.ts'
import { lockOrg } from '../projects/index.ts'
import { findBuilder } from './builder-store.ts'
import { revokeInvites } from './invite-store.ts'
import { deleteMembership, findRoleInOrg, hasOtherOwner, updateRole } from './membership-store.ts'
import type { BuilderRow } from './model.ts'
import { LastOwner, MemberNotFound } from './problems.ts'
import { deleteRemovedMember, insertRemovedMember } from './removed-member-store.ts'

interface Member {
  orgId: string
  builderId: string
}
type Change = Member & {
  /** Id of the calling builder. */
  by: string
}

/**
 * Changes the role of a member. Requires an owner. Returns the member, and the role before.
 *
 * @throws LastOwner, MemberNotFound, Forbidden, NotFound
 */
export async function changeRole(
  system: Kysely<Tables>,
  { role, ...change }: Change & { role: OrgRole },
): Promise<{ builder: BuilderRow; before: OrgRole }> {
  return await withMember(system, change, async (tx, member, { builder, before }) => {
    if (before === 'owner' && role !== 'owner') await requireOtherOwner(tx, member)
    await updateRole(tx, { ...member, role })
    return { builder, before }
  })
}

/**
 * Removes a member. An owner can remove anyone, other members only themselves. This revokes pending invites to the
 * removed person, and a claimed domain does not admit them again. Members who leave on their own can rejoin through the
 * domain.
 *
 * @throws LastOwner, MemberNotFound, Forbidden, NotFound
 */
export async function removeMember(system: Kysely<Tables>, change: Change): Promise<void> {
  await withMember(system, change, async (tx, member, { builder, before }) => {
    if (before === 'owner') await requireOtherOwner(tx, member)
    await deleteMembership(tx, member)
    await revokeInvites(tx, member.orgId, builder.email)
    await (member.builderId === change.by ? deleteRemovedMember : insertRemovedMember)(tx, member)
  })
}

/**
 * Runs work on one member while the organization is locked: of two owners who remove each other concurrently, the
 * second is refused. Reads the caller's role again under the lock, because roles are cached. Members who are not owners
 * can change only themselves.
 *
 * @throws MemberNotFound, Forbidden, NotFound
 */
export async function withMember<T>(
  system: Kysely<Tables>,
  { orgId, builderId, by }: Change,
  work: (tx: Kysely<Tables>, member: Member, found: { builder: BuilderRow; before: OrgRole }) => Promise<T>,
): Promise<T> {
  const member = { orgId, builderId: builderId.toLowerCase() }
  return await system.transaction().execute(async (tx) => {
    await lockOrg(tx, orgId)
    const caller = await findRoleInOrg(tx, by, orgId)
    if (!caller) throw new NotFound({ detail: 'There is no such organization.' })
    if (caller.role !== 'owner' && member.builderId !== by)
      throw needsRole('owner', caller.role, 'Changing or removing other members')
    const found = isId(member.builderId) ? await findRoleInOrg(tx, member.builderId, orgId) : undefined
    const builder = found && (await findBuilder(tx, member.builderId))
    if (!builder) throw new MemberNotFound()
    return await work(tx, member, { builder, before: found.role })
  })
}

async function requireOtherOwner(tx: Kysely<Tables>, member: Member): Promise<void> {
  if (!(await hasOtherOwner(tx, member))) throw new LastOwner()
}
