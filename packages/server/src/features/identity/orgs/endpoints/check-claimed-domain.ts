import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, InvalidInput, reply } from '../../../../kernel/http/index.ts'
import { normalizeDomain } from '../address.ts'
import { findBuilder } from '../builder-store.ts'
import { findOwnedClaim, findVerifiedDomain } from '../domain-store.ts'
import { ClaimedDomain, claimedDomainResource } from '../model.ts'
import { ClaimedDomainNotFound } from '../problems.ts'

export const checkClaimedDomain = endpoint({
  id: 'checkClaimedDomain',
  method: 'GET',
  path: '/claimed-domains',
  access: 'builder',
  summary: 'Show which organization has claimed a domain.',
  description:
    'Owners of the organization see its claim. Builders with an address of the domain see the verified one. To others the domain looks unclaimed.',
  tag: 'Organizations',
  query: Type.Object({
    domain: Type.String({ maxLength: 1_000, description: 'A domain, an email address or a URL.' }),
  }),
  reply: { 200: ClaimedDomain },
  problems: [ClaimedDomainNotFound],
  run: async ({ caller, query }, { database }: { database: Database }) => {
    const domain = normalizeDomain(query.domain)
    if (domain === undefined)
      throw new InvalidInput({
        issues: [
          {
            in: 'query',
            name: 'domain',
            value: query.domain,
            detail: 'domain must be a domain, a mail address or a URL.',
          },
        ],
      })
    const { system } = database
    const builder = await findBuilder(system, caller.builderId)
    const isOfDomain = builder !== undefined && normalizeDomain(builder.email) === domain
    const verified = isOfDomain ? await findVerifiedDomain(system, domain) : undefined
    const owned = await findOwnedClaim(system, caller.builderId, domain)
    const claim = verified ?? owned
    if (!claim) throw new ClaimedDomainNotFound()
    return reply(200, claimedDomainResource(claim, { isOwner: claim.id === owned?.id }))
  },
})
