import { casesOf } from '../../../../testkit/cases.ts'
import { endOtherSessions } from './end-other-sessions.ts'

export const cases = casesOf(endOtherSessions, {
  status: 200,
  namesNoIds: true,
  example: {
    request: async ({ builder }) => {
      await builder({ email: 'stella@acme.example' })
      return { headers: (await builder({ email: 'stella@acme.example' })).headers }
    },
  },
})
