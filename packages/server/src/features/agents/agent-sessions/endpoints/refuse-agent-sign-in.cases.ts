import { casesOf } from '../../../../testkit/cases.ts'
import { startWorldSignIn } from '../world-sign-in.testkit.ts'
import { refuseAgentSignIn } from './refuse-agent-sign-in.ts'

export const cases = casesOf(refuseAgentSignIn, {
  status: 409,
  example: {
    status: 200,
    request: async (world) => ({ params: { signInId: (await (await startWorldSignIn(world)).begin()).id } }),
  },
})
