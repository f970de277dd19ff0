import { Type } from 'typebox'
import { Empty, Enum, Forbidden, InvalidInput, type Issue, operation, reply } from '../../../kernel/http/index.ts'
import type { Services } from '../../../services.ts'
import { normaliseDomain } from '../address.ts'
import { bodyIssue } from '../body.ts'
import { insertClaimedDomain } from '../domain-store.ts'
import { findRoleInOrg } from '../membership-store.ts'
import { DomainTaken } from '../problems.ts'
import { isPublicDomain } from '../public-domains.ts'

export const claimDomain = operation({
  id: 'claimDomain',
  method: 'POST',
  path: '/claimed-domains',
  access: 'builder',
  summary: 'Claims a domain for an organisation that you own.',
  description:
    'From then on everybody with a verified mail address of exactly this domain may join the organisation as a member. Domains of public mail providers are refused.',
  tag: 'Organisations',
  body: Type.Object({
    domain: Type.String({ maxLength: 1_000, description: 'A domain, a mail address or a URL.' }),
    parentType: Enum(['org'], { description: 'What the domain is claimed for.' }),
    parentId: Type.String({ description: 'Id of the organisation.' }),
  }),
  reply: { 201: Empty },
  problems: [Forbidden, DomainTaken],
  run: async ({ caller, body }, { database, newId }: Pick<Services, 'database' | 'newId'>) => {
    const { system } = database
    const domain = normaliseDomain(body.domain)
    const membership = await findRoleInOrg(system, caller.builderId, body.parentId)
    if (membership && membership.role !== 'owner')
      throw new Forbidden({
        detail: 'Only an owner of the organisation claims domains.',
        remedy: 'Ask an owner of the organisation to claim it.',
      })
    const issues: Issue[] = []
    if (domain === undefined)
      issues.push(bodyIssue('domain', body.domain, 'domain must be a domain, a mail address or a URL.'))
    else if (isPublicDomain(domain))
      issues.push(bodyIssue('domain', body.domain, 'Anybody can have an address of this domain: it cannot be claimed.'))
    if (!membership) issues.push(bodyIssue('parentId', body.parentId, 'You own no organisation of this id.'))
    if (issues.length > 0 || domain === undefined || !membership) throw new InvalidInput({ issues })
    if (!(await insertClaimedDomain(system, { id: newId(), orgId: membership.orgId, domain }))) throw new DomainTaken()
    return reply(201, null)
  },
})
