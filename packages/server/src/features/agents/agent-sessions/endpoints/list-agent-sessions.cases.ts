import { casesOf } from '../../../../testkit/cases.ts'
import { startWorldSignIn } from '../world-sign-in.testkit.ts'
import { listAgentSessions } from './list-agent-sessions.ts'

export const cases = casesOf(listAgentSessions, {
  status: 200,
  example: {
    status: 200,
    request: async (world) => {
      await (await startWorldSignIn(world)).tokens({ groupRef: 'listed-agents' })
      return { query: { groupRef: 'listed-agents' } }
    },
  },
})
