import { casesOf } from '../../../../testkit/cases.ts'
import { begunFlow } from '../begun-flow.testkit.ts'
import { submitOAuthCallback } from './submit-oauth-callback.ts'

export const cases = casesOf(submitOAuthCallback, {
  status: 400,
  example: {
    status: 303,
    request: async (world) => ({
      bytes: Buffer.from(`state=${await begunFlow(world, false)}&code=a-code`),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  },
})
