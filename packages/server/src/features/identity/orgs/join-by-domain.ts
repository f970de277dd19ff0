import type { Kysely } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'
import { normalizeDomain } from './address.ts'
import { findVerifiedDomain } from './domain-store.ts'
import { hasPendingInvite } from './invite-store.ts'
import { insertMembership } from './membership-store.ts'
import type { BuilderRow, ClaimedDomainRow } from './model.ts'
import { wasRemoved } from './removed-member-store.ts'

/** Finds the verified claim on the domain of an address. Pending claims do not count. */
export async function findClaimOn(system: Kysely<Tables>, email: string): Promise<ClaimedDomainRow | undefined> {
  const domain = normalizeDomain(email)
  return domain === undefined ? undefined : await findVerifiedDomain(system, domain)
}

/**
 * Adds a builder, as a developer, to the organization that proved the domain of their address. The address must be
 * verified.
 *
 * @returns the id of the organization, if there is one
 */
export async function joinByDomain(
  tx: Kysely<Tables>,
  builder: Pick<BuilderRow, 'id' | 'email' | 'email_verified'>,
): Promise<string | undefined> {
  const claim = builder.email_verified ? await findClaimOn(tx, builder.email) : undefined
  if (!claim || (await wasRemoved(tx, { orgId: claim.org_id, builderId: builder.id }))) return undefined
  await insertMembership(tx, { orgId: claim.org_id, builderId: builder.id, role: 'developer' })
  return claim.org_id
}

/**
 * Returns whether a person with this verified address may create an account: they are invited, or their domain is
 * claimed.
 */
export async function mayEnter(system: Kysely<Tables>, email: string, now: Date): Promise<boolean> {
  return (await hasPendingInvite(system, email, now)) || (await findClaimOn(system, email)) !== undefined
}
