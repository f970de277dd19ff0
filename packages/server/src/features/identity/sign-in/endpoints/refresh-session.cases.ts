import { casesOf } from '../../../../testkit/cases.ts'
import { password } from '../../../../testkit/world.ts'
import { refreshSession } from './refresh-session.ts'

export const cases = casesOf(refreshSession, {
  request: { body: { refreshToken: 'not-a-token' } },
  status: 401,
  example: {
    status: 200,
    request: async ({ make, person }) => {
      const session = { email: person.email, password }
      const { refreshToken } = await make<{ refreshToken: string }>('POST', '/sessions', session, {})
      return { body: { refreshToken } }
    },
  },
})
