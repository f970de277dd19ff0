import { casesOf } from '../../../../testkit/cases.ts'
import { startWorldSignIn } from '../world-sign-in.testkit.ts'
import { completeAgentSignIn } from './complete-agent-sign-in.ts'

export const cases = casesOf(completeAgentSignIn, {
  request: (ids) => ({ body: { groupRef: ids.groupRef, consumerRef: ids.consumerRef } }),
  status: 409,
  example: {
    status: 200,
    request: async (world) => ({
      params: { signInId: (await (await startWorldSignIn(world)).begin()).id },
      body: { groupRef: 'acme', groupName: 'Acme', consumerRef: 'ada', consumerName: 'Ada' },
    }),
  },
})
