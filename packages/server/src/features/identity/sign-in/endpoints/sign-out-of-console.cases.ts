import { casesOf } from '../../../../testkit/cases.ts'
import { consoleHeaders } from '../../../../testkit/world.ts'
import { signOutOfConsole } from './sign-out-of-console.ts'

export const cases = casesOf(signOutOfConsole, {
  status: 403,
  example: {
    status: 204,
    request: async (world) => ({ headers: consoleHeaders(await world.browser('signed in')) }),
  },
})
