import { casesOf } from '../../../../testkit/cases.ts'
import { deleteOrgBuilder } from './delete-org-builder.ts'

export const cases = casesOf(deleteOrgBuilder, {
  status: 404,
  statusFor: { 'a viewer': 403, 'an operator': 403, 'a developer': 403 },
  example: {
    status: 204,
    request: async ({ member }) => ({ params: { builderId: await member('gone@acme.example') } }),
  },
})
