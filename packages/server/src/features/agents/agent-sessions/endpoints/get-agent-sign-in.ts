import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { AgentSignInNotFound } from '../problems.ts'
import { AgentSignIn, signInResource } from '../sign-in-resource.ts'
import { findSignIn } from '../sign-in-store.ts'

export const getAgentSignIn = endpoint({
  id: 'getAgentSignIn',
  method: 'GET',
  path: '/projects/{projectIdOrName}/agent-sign-ins/{signInId}',
  access: 'view',
  summary: 'Get what a client asks for, to show it to the user.',
  description:
    'Your sign-in page calls this with the parameter `request`. Show the name and `redirectHost`, and ask the user.',
  tag: 'Agent sign-in',
  extension: true,
  params: Path({ ...ProjectPath.properties, signInId: Ref }),
  reply: { 200: AgentSignIn },
  problems: [AgentSignInNotFound],
  run: async ({ db, params }, services: { now: () => Date }) => {
    const row = await findSignIn(db, params.signInId, services.now())
    if (!row) throw new AgentSignInNotFound()
    return reply(200, signInResource(row))
  },
})
