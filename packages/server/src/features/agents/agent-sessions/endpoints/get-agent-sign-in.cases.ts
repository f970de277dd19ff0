import { casesOf } from '../../../../testkit/cases.ts'
import { startWorldSignIn } from '../world-sign-in.testkit.ts'
import { getAgentSignIn } from './get-agent-sign-in.ts'

export const cases = casesOf(getAgentSignIn, {
  status: 200,
  example: {
    status: 200,
    request: async (world) => ({ params: { signInId: (await (await startWorldSignIn(world)).begin()).id } }),
  },
})
