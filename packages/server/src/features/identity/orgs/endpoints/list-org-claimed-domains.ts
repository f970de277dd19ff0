import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, PageQuery, Path, pageOf, Ref, reply } from '../../../../kernel/http/index.ts'
import { listClaimedDomains } from '../domain-store.ts'
import { ClaimedDomain, claimedDomainResource } from '../model.ts'

export const listOrgClaimedDomains = endpoint({
  id: 'listOrgClaimedDomains',
  method: 'GET',
  path: '/orgs/{orgId}/claimed-domains',
  access: 'owner',
  summary: 'List the domains that an organization has claimed, by name.',
  description: 'Each with its status and the DNS record that proves it.',
  tag: 'Organizations',
  params: Path({ orgId: Ref }),
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(ClaimedDomain) },
  problems: [NotFound],
  run: async (input, { database }: { database: Database }) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listClaimedDomains(database.system, input.org.id, page),
      keyOf: ({ domain }) => domain,
      isKey: () => true,
    })
    return reply(
      200,
      items.map((row) => claimedDomainResource(row, { isOwner: true })),
      headers,
    )
  },
})
