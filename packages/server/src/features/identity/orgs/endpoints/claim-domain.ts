import { Type } from 'typebox'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { Enum, endpoint, Forbidden, InvalidInput, type Issue, needsRole, reply } from '../../../../kernel/http/index.ts'
import { normalizeDomain } from '../address.ts'
import { bodyIssue } from '../body.ts'
import { newChallenge } from '../domain-proof.ts'
import { findVerifiedDomain, insertClaimedDomain } from '../domain-store.ts'
import { findRoleInOrg } from '../membership-store.ts'
import { ClaimedDomain, claimedDomainResource } from '../model.ts'
import { DomainTaken } from '../problems.ts'
import { isPublicDomain } from '../public-domains.ts'

export const claimDomain = endpoint({
  id: 'claimDomain',
  method: 'POST',
  path: '/claimed-domains',
  access: 'builder',
  summary: 'Claim a domain for an organization that you own.',
  description:
    'The claim is pending until its DNS record is verified. Publish the TXT record in `verification`, then call `verifyClaimedDomain`. From then on, anyone with a verified email address of exactly this domain may join the organization as a developer. Public suffixes such as `co.uk` and domains of public mail providers are refused.',
  tag: 'Organizations',
  body: Type.Object({
    domain: Type.String({ maxLength: 1_000, description: 'A domain, an email address or a URL.' }),
    parentType: Enum(['org'], { description: 'What the domain is claimed for.' }),
    parentId: Type.String({ description: 'Id of the organization.' }),
  }),
  reply: { 201: ClaimedDomain },
  problems: [Forbidden, DomainTaken],
  run: async ({ caller, body, note }, { database, newId }: { database: Database; newId: NewId }) => {
    const { system } = database
    const domain = normalizeDomain(body.domain)
    const membership = await findRoleInOrg(system, caller.builderId, body.parentId)
    if (membership && membership.role !== 'owner') throw needsRole('owner', membership.role, 'Claiming a domain')
    const issues: Issue[] = []
    if (domain === undefined)
      issues.push(bodyIssue('domain', body.domain, 'domain must be a domain, a mail address or a URL.'))
    else if (await isPublicDomain(domain))
      issues.push(
        bodyIssue(
          'domain',
          body.domain,
          `${domain} is shared by many organizations and cannot be claimed.`,
          'Claim the domain that your organization has registered, or invite people by mail address.',
        ),
      )
    if (!membership) issues.push(bodyIssue('parentId', body.parentId, 'You do not own an organization with this id.'))
    if (issues.length > 0 || domain === undefined || !membership) throw new InvalidInput({ issues })
    note({ log: membership.orgId })
    if (await findVerifiedDomain(system, domain)) throw new DomainTaken()
    const { orgId } = membership
    const claim = await insertClaimedDomain(system, { id: newId(), orgId, domain, challenge: newChallenge() })
    if (!claim) throw new DomainTaken()
    return reply(201, claimedDomainResource(claim, { isOwner: true }))
  },
})
