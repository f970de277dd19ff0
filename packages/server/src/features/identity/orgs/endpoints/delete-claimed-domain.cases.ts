import { casesOf } from '../../../../testkit/cases.ts'
import { deleteClaimedDomain } from './delete-claimed-domain.ts'

export const cases = casesOf(deleteClaimedDomain, {
  status: 404,
  example: {
    status: 204,
    request: async ({ make, tenant }) => {
      const body = { domain: 'released.example', parentType: 'org', parentId: tenant.ids.orgId }
      const { id } = await make('POST', '/claimed-domains', body, tenant.owner)
      return { params: { claimedDomainId: id } }
    },
  },
})
