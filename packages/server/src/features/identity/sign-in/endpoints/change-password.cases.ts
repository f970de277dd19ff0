import { casesOf } from '../../../../testkit/cases.ts'
import { password } from '../../../../testkit/world.ts'
import { changePassword } from './change-password.ts'

export const cases = casesOf(changePassword, {
  request: { body: { currentPassword: 'not the password', newPassword: 'twelve characters and more' } },
  status: 400,
  namesNoIds: true,
  countsRefusals: true,
  example: {
    status: 204,
    request: async ({ builder }) => ({
      headers: (await builder({ email: 'careful@acme.example', password })).headers,
      body: { currentPassword: password, newPassword: 'staple battery horse correct' },
    }),
  },
})
