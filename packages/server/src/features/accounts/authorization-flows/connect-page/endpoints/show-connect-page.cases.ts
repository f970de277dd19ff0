import { casesOf } from '../../../../../testkit/cases.ts'
import { pageToken } from '../page-token.testkit.ts'
import { showConnectPage } from './show-connect-page.ts'

export const cases = casesOf(showConnectPage, {
  request: { query: { with: 'apiKey' } },
  status: 404,
  example: { status: 200, request: async (world) => ({ params: { token: await pageToken(world) } }) },
})
