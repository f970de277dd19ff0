import { casesOf } from '../../../../testkit/cases.ts'
import { callback } from '../sign-in.testkit.ts'
import { codeInBrowser } from '../world-management.testkit.ts'
import { formBody } from '../world-sign-in.testkit.ts'
import { exchangeManagementToken } from './exchange-management-token.ts'

export const cases = casesOf(exchangeManagementToken, {
  status: 400,
  example: {
    status: 200,
    request: async (world) => {
      const { kit, code, clientId, verifier } = await codeInBrowser(world)
      return formBody({
        grant_type: 'authorization_code',
        code,
        client_id: clientId,
        code_verifier: verifier,
        redirect_uri: callback,
        resource: kit.mcp,
      })
    },
  },
})
