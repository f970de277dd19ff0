import { casesOf } from '../../../../testkit/cases.ts'
import { showResetPage } from './show-reset-page.ts'

export const cases = casesOf(showResetPage, {
  request: { query: { token: 'not-a-token' } },
  status: 404,
  example: {
    status: 303,
    request: async (world) => ({ query: { token: await world.resetToken('forgetful@acme.example') } }),
  },
})
