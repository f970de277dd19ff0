import { casesOf } from '../../../../testkit/cases.ts'
import { project } from '../../../../testkit/world.ts'
import { startWorldSignIn } from '../world-sign-in.testkit.ts'
import { deleteAgentSession } from './delete-agent-session.ts'

export const cases = casesOf(deleteAgentSession, {
  status: 404,
  example: {
    status: 204,
    request: async (world) => {
      await (await startWorldSignIn(world)).tokens({ groupRef: 'left-agents' })
      const path = `${project}/agent-sessions?groupRef=left-agents`
      const [session] = await world.make<{ id: string }[]>('GET', path)
      return { params: { agentSessionId: session?.id ?? '' } }
    },
  },
})
