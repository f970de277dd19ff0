import { casesOf } from '../../../../../testkit/cases.ts'
import { pageToken } from '../page-token.testkit.ts'
import { showConnectForm } from './show-connect-form.ts'

export const cases = casesOf(showConnectForm, {
  request: { query: { with: 'apiKey' } },
  status: 404,
  example: { status: 200, request: async (world) => ({ params: { token: await pageToken(world) } }) },
})
