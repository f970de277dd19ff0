import { casesOf } from '../../../../testkit/cases.ts'
import { callback } from '../sign-in.testkit.ts'
import { formBody, startWorldSignIn } from '../world-sign-in.testkit.ts'
import { exchangeAgentToken } from './exchange-agent-token.ts'

export const cases = casesOf(exchangeAgentToken, {
  status: 404,
  refused: { status: 404, request: { params: { projectIdOrName: 'no-project' } } },
  example: {
    status: 200,
    request: async (world) => {
      const kit = await startWorldSignIn(world)
      const { clientId, verifier, code } = await kit.code()
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
