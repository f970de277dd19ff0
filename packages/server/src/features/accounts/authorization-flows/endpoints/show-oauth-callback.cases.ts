import { casesOf } from '../../../../testkit/cases.ts'
import { begunFlow } from '../begun-flow.testkit.ts'
import { showOAuthCallback } from './show-oauth-callback.ts'

export const cases = casesOf(showOAuthCallback, {
  request: { query: { state: 'not-a-state', code: 'a-code' } },
  // Without the provider, a customer can only turn back: 400 in the example too.
  status: 400,
  example: { request: async (world) => ({ query: { state: await begunFlow(world, false), error: 'access_denied' } }) },
})
