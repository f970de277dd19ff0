import type { Kysely } from 'kysely'
import type { Tables } from '../../kernel/db/index.ts'
import { normaliseDomain } from './address.ts'
import { findClaimedDomain } from './domain-store.ts'
import { hasPendingInvite } from './invite-store.ts'
import { insertMembership } from './membership-store.ts'
import type { BuilderRow, ClaimedDomainRow } from './model.ts'

/** The claim on the domain of an address, when some organisation made it. */
export async function findClaimOn(system: Kysely<Tables>, email: string): Promise<ClaimedDomainRow | undefined> {
  const domain = normaliseDomain(email)
  return domain === undefined ? undefined : await findClaimedDomain(system, domain)
}

/**
 * Makes a builder a member of the organisation that claimed the domain of their address, which must be verified.
 *
 * @returns the id of the organisation, when there is one
 */
export async function joinByDomain(
  tx: Kysely<Tables>,
  builder: Pick<BuilderRow, 'id' | 'email' | 'email_verified'>,
): Promise<string | undefined> {
  const claim = builder.email_verified ? await findClaimOn(tx, builder.email) : undefined
  if (!claim) return undefined
  await insertMembership(tx, { orgId: claim.org_id, builderId: builder.id, role: 'member' })
  return claim.org_id
}

/** Whether somebody with this verified address, who is no builder yet, may become one: invited, or of a claimed domain. */
export async function mayEnter(system: Kysely<Tables>, email: string, now: Date): Promise<boolean> {
  return (await hasPendingInvite(system, email, now)) || (await findClaimOn(system, email)) !== undefined
}
