import { casesOf } from '../../../../testkit/cases.ts'
import { deleteOrgBuilderFactors } from './delete-org-builder-factors.ts'

export const cases = casesOf(deleteOrgBuilderFactors, {
  status: 404,
  example: {
    status: 204,
    request: async ({ member }) => ({ params: { builderId: await member('lost.phone@acme.example') } }),
  },
})
