import { type Kysely, sql } from 'kysely'
import { andIf, prepared, type Tables } from '../../../kernel/db/index.ts'
import type { PageBounds } from '../../../kernel/http/index.ts'
import { lockOrg } from '../projects/index.ts'
import type { ClaimedDomainRow } from './model.ts'

/** Finds the claim that proved a domain. @param domain as `normalizeDomain` returns it */
export async function findVerifiedDomain(
  system: Kysely<Tables>,
  domain: string,
): Promise<ClaimedDomainRow | undefined> {
  return await system
    .selectFrom('claimed_domains')
    .selectAll()
    .where('domain', '=', domain)
    .where('verify_time', 'is not', null)
    .executeTakeFirst()
}

/** Finds the claim on a domain of an organization that a builder owns; the verified one first. */
export async function findOwnedClaim(
  system: Kysely<Tables>,
  builderId: string,
  domain: string,
): Promise<ClaimedDomainRow | undefined> {
  const { rows } = await sql<ClaimedDomainRow>`${prepared}
    select claim.* from claimed_domains claim
      join memberships on memberships.org_id = claim.org_id and builder_id = ${builderId} and role = 'owner'
     where domain = ${domain} order by claim.verify_time nulls last, claim.create_time limit 1`.execute(system)
  return rows[0]
}

export async function findClaimOfOrg(
  system: Kysely<Tables>,
  orgId: string,
  claimId: string,
): Promise<ClaimedDomainRow | undefined> {
  return await system
    .selectFrom('claimed_domains')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', claimId)
    .executeTakeFirst()
}

export async function listClaimedDomains(
  system: Kysely<Tables>,
  orgId: string,
  { after, limit }: PageBounds = {},
): Promise<ClaimedDomainRow[]> {
  const { rows } = await sql<ClaimedDomainRow>`${prepared}
    select * from claimed_domains where org_id = ${orgId} ${andIf(after, (domain) => sql`domain > ${domain}`)}
    order by domain limit ${limit ?? null}`.execute(system)
  return rows
}

/** Inserts a pending claim; undefined when the organization has claimed the domain already. */
export async function insertClaimedDomain(
  system: Kysely<Tables>,
  claim: { id: string; orgId: string; domain: string; challenge: string },
): Promise<ClaimedDomainRow | undefined> {
  return await system
    .insertInto('claimed_domains')
    .values({ id: claim.id, org_id: claim.orgId, domain: claim.domain, challenge: claim.challenge })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

/**
 * Claims one DNS lookup for a claim: one per claim and `most` per organization within a window. The lock on the
 * organization makes simultaneous requests count each other. Returns whether the lookup may run.
 */
export async function claimDomainCheck(
  system: Kysely<Tables>,
  claim: Pick<ClaimedDomainRow, 'id' | 'org_id'>,
  { now, since, most }: { now: Date; since: Date; most: number },
): Promise<boolean> {
  return await system.transaction().execute(async (tx) => {
    await lockOrg(tx, claim.org_id)
    const { rows } = await sql`
      update claimed_domains set check_time = ${now}
       where id = ${claim.id} and (check_time is null or check_time <= ${since})
         and (select count(*) from claimed_domains where org_id = ${claim.org_id} and check_time > ${since}) < ${most}
      returning id`.execute(tx)
    return rows.length > 0
  })
}

/**
 * Marks a claim as proven. Throws the database's unique violation (23505) when another organization has proven the
 * domain.
 */
export async function updateVerified(
  system: Kysely<Tables>,
  claimId: string,
  now: Date,
): Promise<ClaimedDomainRow | undefined> {
  return await system
    .updateTable('claimed_domains')
    .set(({ fn, val }) => ({ verify_time: fn.coalesce('verify_time', val(now)) }))
    .where('id', '=', claimId)
    .returningAll()
    .executeTakeFirst()
}

export async function deleteClaim(system: Kysely<Tables>, claimId: string): Promise<void> {
  await system.deleteFrom('claimed_domains').where('id', '=', claimId).execute()
}
