import { casesOf } from '../../../../testkit/cases.ts'
import { startWorldSignIn } from '../world-sign-in.testkit.ts'
import { registerAgentClient } from './register-agent-client.ts'

export const cases = casesOf(registerAgentClient, {
  status: 404,
  refused: { status: 404, request: { params: { projectIdOrName: 'no-project' } } },
  example: {
    status: 201,
    request: async (world) => {
      await startWorldSignIn(world)
      const metadata = { client_name: 'Desk', redirect_uris: ['http://127.0.0.1/callback'] }
      const headers = { 'content-type': 'application/json' }
      return { bytes: Buffer.from(JSON.stringify(metadata)), headers }
    },
  },
})
