import { casesOf } from '../../../../testkit/cases.ts'
import { updateOrgBuilder } from './update-org-builder.ts'

export const cases = casesOf(updateOrgBuilder, {
  request: { body: { updateMask: ['role'], builder: { role: 'developer' } } },
  status: 200,
  example: {
    request: async ({ member }) => ({
      params: { builderId: await member('rising@acme.example') },
      body: { updateMask: ['role'], builder: { role: 'owner' } },
    }),
  },
})
