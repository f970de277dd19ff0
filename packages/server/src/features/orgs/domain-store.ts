import { type Kysely, sql } from 'kysely'
import { andIf, prepared, type Tables } from '../../kernel/db/index.ts'
import type { PageBounds } from '../../kernel/http/index.ts'
import type { ClaimedDomainRow } from './model.ts'

/** @param domain as `normaliseDomain` gives it */
export async function findClaimedDomain(system: Kysely<Tables>, domain: string): Promise<ClaimedDomainRow | undefined> {
  return await system.selectFrom('claimed_domains').selectAll().where('domain', '=', domain).executeTakeFirst()
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

/** Adds a claim; undefined when some organisation has claimed the domain already. */
export async function insertClaimedDomain(
  system: Kysely<Tables>,
  claim: { id: string; orgId: string; domain: string },
): Promise<ClaimedDomainRow | undefined> {
  return await system
    .insertInto('claimed_domains')
    .values({ id: claim.id, org_id: claim.orgId, domain: claim.domain })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}
