import { casesOf } from '../../../../testkit/cases.ts'
import { endSession } from './end-session.ts'

export const cases = casesOf(endSession, {
  status: 204,
  namesNoIds: true,
  example: {
    request: async ({ builder }) => ({ headers: (await builder({ email: 'leaving@acme.example' })).headers }),
  },
})
