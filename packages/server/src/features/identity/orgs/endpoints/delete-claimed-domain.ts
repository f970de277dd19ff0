import { type Database, isId } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { deleteClaim, findClaimOfOrg } from '../domain-store.ts'
import { ClaimedDomainNotFound } from '../problems.ts'

export const deleteClaimedDomain = endpoint({
  id: 'deleteClaimedDomain',
  method: 'DELETE',
  path: '/orgs/{orgId}/claimed-domains/{claimedDomainId}',
  access: 'owner',
  summary: 'Delete a claim on a domain.',
  description: 'New people of the domain can no longer join. Members remain.',
  tag: 'Organizations',
  extension: true,
  params: Path({ orgId: Ref, claimedDomainId: Ref }),
  reply: { 204: Empty },
  problems: [NotFound, ClaimedDomainNotFound],
  run: async ({ org, params: { claimedDomainId } }, { database }: { database: Database }) => {
    const { system } = database
    const claim = isId(claimedDomainId) ? await findClaimOfOrg(system, org.id, claimedDomainId) : undefined
    if (!claim) throw new ClaimedDomainNotFound()
    await deleteClaim(system, claim.id)
    return reply(204, null)
  },
})
