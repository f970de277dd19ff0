import { casesOf } from '../../../../testkit/cases.ts'
import { listMySessions } from './list-my-sessions.ts'

export const cases = casesOf(listMySessions, {
  status: 200,
  namesNoIds: true,
  example: {
    request: async ({ builder }) => ({ headers: (await builder({ email: 'sam@acme.example' })).headers }),
  },
})
