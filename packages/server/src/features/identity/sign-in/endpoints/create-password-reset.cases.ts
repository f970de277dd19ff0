import { casesOf } from '../../../../testkit/cases.ts'
import { createPasswordReset } from './create-password-reset.ts'

export const cases = casesOf(createPasswordReset, {
  status: 201,
  example: { request: async ({ member }) => ({ params: { builderId: await member('ada.lovelace@acme.example') } }) },
})
