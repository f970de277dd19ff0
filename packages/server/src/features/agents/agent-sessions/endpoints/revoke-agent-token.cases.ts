import { casesOf } from '../../../../testkit/cases.ts'
import { formBody, startWorldSignIn } from '../world-sign-in.testkit.ts'
import { revokeAgentToken } from './revoke-agent-token.ts'

export const cases = casesOf(revokeAgentToken, {
  status: 404,
  refused: { status: 404, request: { params: { projectIdOrName: 'no-project' } } },
  example: {
    status: 200,
    request: async (world) => {
      const kit = await startWorldSignIn(world)
      const { clientId, refresh_token: token } = await kit.tokens()
      return formBody({ token, client_id: clientId })
    },
  },
})
