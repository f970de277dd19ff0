import { newId } from '../../../../kernel/db/index.ts'
import { casesOf } from '../../../../testkit/cases.ts'
import { addUserToOrg } from './add-user-to-org.ts'

export const cases = casesOf(addUserToOrg, {
  request: () => ({ body: { builderId: newId() } }),
  status: 404,
  statusFor: { 'a viewer': 403, 'an operator': 403, 'a developer': 403 },
  example: {
    status: 201,
    request: async ({ builder }) => ({
      body: { builderId: (await builder({ email: 'alan@other.example' })).builderId },
    }),
  },
})
