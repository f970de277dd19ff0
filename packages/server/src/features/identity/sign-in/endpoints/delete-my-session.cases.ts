import { casesOf } from '../../../../testkit/cases.ts'
import { deleteMySession } from './delete-my-session.ts'

export const cases = casesOf(deleteMySession, {
  status: 404,
  namesNoIds: true,
  example: {
    status: 204,
    request: async ({ builder }) => {
      const { headers, sessionId } = await builder({ email: 'sue@acme.example' })
      return { headers, params: { sessionId } }
    },
  },
})
