import { newId } from '../../../../kernel/db/index.ts'
import { casesOf } from '../../../../testkit/cases.ts'
import { password } from '../../../../testkit/world.ts'
import { createSession } from './create-session.ts'

export const cases = casesOf(createSession, {
  request: () => ({ body: { email: `${newId()}@nowhere.example`, password: 'not the password' } }),
  status: 401,
  countsRefusals: true,
  example: { status: 200, request: ({ person }) => ({ body: { email: person.email, password } }) },
  refused: {
    status: 401,
    request: ({ person }) => ({ body: { email: person.email, password: 'a wrong password' } }),
  },
})
