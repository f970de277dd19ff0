import type { Kysely } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { OrgRole } from '../../../kernel/http/index.ts'
import { findOrg, roleOf } from '../projects/index.ts'
import { findBuilder, updateEmailVerified } from './builder-store.ts'
import { acceptInvites, findInvite, settleInvite } from './invite-store.ts'
import { inviteIdOf } from './invite-token.ts'
import { findRoleInOrg, insertMembership } from './membership-store.ts'
import { type BuilderRow, type InviteRow, type InviteStatus, inviteStatus } from './model.ts'

/** An invite as its link shows it. */
export interface ShownInvite {
  inviteId: string
  orgId: string
  orgLabel: string
  invitedEmail: string
  role: OrgRole
  status: InviteStatus
}

/** Why a link is refused. `other-email`: it invites another address than the one signed in with. */
export type InviteRefusal = 'unknown' | 'accepted' | 'revoked' | 'expired' | 'other-email'

type Needed = { keyring: Keyring; now: () => Date }

/** Finds the invite of a link's token, whatever its status; undefined if the token is not valid. */
export async function findInviteByToken(
  system: Kysely<Tables>,
  { keyring, now }: Needed,
  token: string,
): Promise<ShownInvite | undefined> {
  const inviteId = inviteIdOf(keyring, token)
  const invite = inviteId === undefined ? undefined : await findInvite(system, inviteId)
  const org = invite && (await findOrg(system, invite.org_id))
  if (!invite || !org) return undefined
  return {
    inviteId: invite.id,
    orgId: org.id,
    orgLabel: org.label,
    invitedEmail: invite.invited_email,
    role: roleOf(invite),
    status: inviteStatus(invite, now()),
  }
}

/**
 * Accepts the invite of a link for a builder whose address it names. The builder becomes a member. If the link was
 * mailed, it also proves that the address is theirs. It works once: of two concurrent calls, one is refused.
 */
export async function acceptInviteByToken(
  tx: Kysely<Tables>,
  { keyring, now }: Needed,
  { token, builderId }: { token: string; builderId: string },
): Promise<{ orgId: string } | { refused: InviteRefusal }> {
  const inviteId = inviteIdOf(keyring, token)
  const invite = inviteId === undefined ? undefined : await findInvite(tx, inviteId)
  const builder = await findBuilder(tx, builderId)
  if (!invite || !builder) return { refused: 'unknown' }
  if (invite.invited_email !== builder.email) return { refused: 'other-email' }
  const accepted = await settleInvite(tx, invite.id, 'accepted', now())
  if (!accepted) {
    const current = await findInvite(tx, invite.id)
    const status = current ? inviteStatus(current, now()) : 'unknown'
    return { refused: status === 'pending' ? 'unknown' : status }
  }
  await insertMembership(tx, { orgId: accepted.org_id, builderId, role: await grantedRole(tx, accepted) })
  if (accepted.mailed) await updateEmailVerified(tx, builderId)
  return { orgId: accepted.org_id }
}

/**
 * Accepts every pending invite to the builder's address. The address must be verified: otherwise a person could
 * register someone else's address and take the invites to it.
 *
 * @returns the ids of the organizations
 */
export async function acceptInvitesByEmail(
  tx: Kysely<Tables>,
  { now }: { now: () => Date },
  builder: Pick<BuilderRow, 'id' | 'email' | 'email_verified'>,
): Promise<string[]> {
  if (!builder.email_verified) return []
  const invites = await acceptInvites(tx, builder.email, now())
  for (const invite of invites)
    await insertMembership(tx, { orgId: invite.org_id, builderId: builder.id, role: await grantedRole(tx, invite) })
  return invites.map(({ org_id }) => org_id)
}

/** Returns the role that an invite grants. It makes the invitee an owner only while the inviter is an owner. */
async function grantedRole(tx: Kysely<Tables>, invite: InviteRow): Promise<OrgRole> {
  const role = roleOf(invite)
  if (role !== 'owner') return role
  const inviter = await findRoleInOrg(tx, invite.created_by.replace(/^builder:/, ''), invite.org_id)
  return inviter?.role === 'owner' ? 'owner' : 'developer'
}
