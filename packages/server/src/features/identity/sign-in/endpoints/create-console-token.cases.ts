import { casesOf } from '../../../../testkit/cases.ts'
import { consoleHeaders } from '../../../../testkit/world.ts'
import { createConsoleToken } from './create-console-token.ts'

export const cases = casesOf(createConsoleToken, {
  status: 403,
  example: {
    status: 200,
    request: async (world) => ({ headers: consoleHeaders(await world.browser('signed in')) }),
  },
})
