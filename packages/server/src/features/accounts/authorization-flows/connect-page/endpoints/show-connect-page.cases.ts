import { casesOf } from '../../../../../testkit/cases.ts'
import { pageToken } from '../page-token.testkit.ts'
import { showConnectPage } from './show-connect-page.ts'

export const cases = casesOf(showConnectPage, {
  status: 404,
  example: { status: 200, request: async (world) => ({ params: { token: await pageToken(world) } }) },
})
