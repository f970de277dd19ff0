import { casesOf } from '../../../../../testkit/cases.ts'
import { begunConsent } from '../admin-consent.testkit.ts'
import { showCustomAuthCallback } from './custom-auth-callback.ts'

export const cases = casesOf(showCustomAuthCallback, {
  request: { query: { state: 'not-a-state' } },
  status: 400,
  example: { status: 200, request: async (world) => ({ query: { state: await begunConsent(world) } }) },
})
