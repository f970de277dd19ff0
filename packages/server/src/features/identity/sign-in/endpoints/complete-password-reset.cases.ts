import { casesOf } from '../../../../testkit/cases.ts'
import { completePasswordReset } from './complete-password-reset.ts'

export const cases = casesOf(completePasswordReset, {
  request: { body: { token: 'not-a-token', newPassword: 'twelve characters and more' } },
  status: 401,
  example: {
    status: 204,
    request: async (world) => ({
      body: { token: await world.resetToken('lost@acme.example'), newPassword: 'staple battery horse correct' },
    }),
  },
})
