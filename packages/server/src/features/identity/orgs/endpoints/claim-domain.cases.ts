import { newId } from '../../../../kernel/db/index.ts'
import { casesOf } from '../../../../testkit/cases.ts'
import { claimDomain } from './claim-domain.ts'

export const cases = casesOf(claimDomain, {
  request: (ids) => ({ body: { domain: `d-${newId()}.example`, parentType: 'org', parentId: ids.orgId } }),
  status: 201,
  statusFor: { 'a viewer': 403, 'an operator': 403, 'a developer': 403, 'a builder of another organisation': 400 },
  example: {
    request: ({ tenant }) => ({ body: { domain: 'acme.example', parentType: 'org', parentId: tenant.ids.orgId } }),
  },
})
