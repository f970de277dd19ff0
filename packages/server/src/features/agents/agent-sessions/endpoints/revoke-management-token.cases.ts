import { casesOf } from '../../../../testkit/cases.ts'
import { codeInBrowser } from '../world-management.testkit.ts'
import { formBody } from '../world-sign-in.testkit.ts'
import { revokeManagementToken } from './revoke-management-token.ts'

export const cases = casesOf(revokeManagementToken, {
  status: 400,
  example: {
    status: 200,
    request: async (world) => {
      const begun = await codeInBrowser(world)
      const { body } = await begun.kit.exchange(begun)
      return formBody({ token: body.refresh_token, client_id: begun.clientId })
    },
  },
})
