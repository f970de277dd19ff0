import type { Kysely } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'
import type { Services } from '../../../services.ts'
import { findBuilder, updateEmailVerified } from './builder-store.ts'
import { acceptInvites, findInvite, settleInvite } from './invite-store.ts'
import { inviteIdOf } from './invite-token.ts'
import { insertMembership, insertMemberships } from './membership-store.ts'
import { type BuilderRow, type InviteStatus, inviteStatus } from './model.ts'
import { findOrg } from './org-store.ts'

/** An invite as its link shows it. */
export interface ShownInvite {
  inviteId: string
  orgId: string
  orgLabel: string
  invitedEmail: string
  status: InviteStatus
}

/** Why a link admits nobody. `other-email`: it invites another address than the one signed in with. */
export type InviteRefusal = 'unknown' | 'accepted' | 'revoked' | 'expired' | 'other-email'

type Needed = Pick<Services, 'keyring' | 'now'>

/** The invite that a link's token belongs to, whatever its status; undefined for a token that was not made here. */
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
    status: inviteStatus(invite, now()),
  }
}

/**
 * Accepts the invite of a link for a builder whose address it names: membership, and, when the link came by mail, proof
 * that the address is theirs. Works once; of two at the same moment one is refused.
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
  await insertMembership(tx, { orgId: accepted.org_id, builderId, role: 'member' })
  if (accepted.mailed) await updateEmailVerified(tx, builderId)
  return { orgId: accepted.org_id }
}

/**
 * Accepts every pending invite to the builder's address. The address must be verified: whoever was merely told to have
 * it could otherwise take what others are invited to.
 *
 * @returns the ids of the organisations
 */
export async function acceptInvitesByEmail(
  tx: Kysely<Tables>,
  { now }: Pick<Services, 'now'>,
  builder: Pick<BuilderRow, 'id' | 'email' | 'email_verified'>,
): Promise<string[]> {
  if (!builder.email_verified) return []
  const orgIds = await acceptInvites(tx, builder.email, now())
  await insertMemberships(tx, builder.id, orgIds)
  return orgIds
}
