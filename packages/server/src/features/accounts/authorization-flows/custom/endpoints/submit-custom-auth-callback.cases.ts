import { casesOf } from '../../../../../testkit/cases.ts'
import { begunConsent } from '../admin-consent.testkit.ts'
import { submitCustomAuthCallback } from './custom-auth-callback.ts'

export const cases = casesOf(submitCustomAuthCallback, {
  status: 400,
  example: {
    status: 200,
    request: async (world) => ({
      bytes: Buffer.from(`state=${await begunConsent(world)}&admin_consent=True&tenant=a-tenant`),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  },
})
