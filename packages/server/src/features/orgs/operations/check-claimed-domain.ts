import { Type } from 'typebox'
import { InvalidInput, operation, reply } from '../../../kernel/http/index.ts'
import type { Services } from '../../../services.ts'
import { normaliseDomain } from '../address.ts'
import { findBuilder } from '../builder-store.ts'
import { findClaimedDomain } from '../domain-store.ts'
import { findRoleInOrg } from '../membership-store.ts'
import { ClaimedDomain, claimedDomainResource } from '../model.ts'
import { ClaimedDomainNotFound } from '../problems.ts'

export const checkClaimedDomain = operation({
  id: 'checkClaimedDomain',
  method: 'GET',
  path: '/claimed-domains',
  access: 'builder',
  summary: 'Tells which organisation has claimed a domain.',
  description:
    'Told to owners of that organisation, and to whoever has an address of the domain; to others it looks unclaimed.',
  tag: 'Organisations',
  query: Type.Object({ domain: Type.String({ maxLength: 1_000, description: 'A domain, a mail address or a URL.' }) }),
  reply: { 200: ClaimedDomain },
  problems: [ClaimedDomainNotFound],
  run: async ({ caller, query }, { database }: Pick<Services, 'database'>) => {
    const domain = normaliseDomain(query.domain)
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
    const claim = await findClaimedDomain(database.system, domain)
    if (!claim) throw new ClaimedDomainNotFound()
    const builder = await findBuilder(database.system, caller.builderId)
    const membership = await findRoleInOrg(database.system, caller.builderId, claim.org_id)
    const isOfDomain = builder !== undefined && normaliseDomain(builder.email) === domain
    if (membership?.role !== 'owner' && !isOfDomain) throw new ClaimedDomainNotFound()
    return reply(200, claimedDomainResource(claim))
  },
})
