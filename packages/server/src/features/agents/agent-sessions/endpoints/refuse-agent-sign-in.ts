import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { decide } from '../decide-sign-in.ts'
import { AgentSignInDecided, AgentSignInNotFound } from '../problems.ts'
import { AgentSignInDecision } from '../sign-in-resource.ts'

export const refuseAgentSignIn = endpoint({
  id: 'refuseAgentSignIn',
  method: 'POST',
  path: '/projects/{projectIdOrName}/agent-sign-ins/{signInId}:refuse',
  access: 'develop',
  summary: 'Say that the user does not agree.',
  description: 'Then redirect the browser to `redirectUrl`, so that the client knows.',
  tag: 'Agent sign-in',
  audit: { verb: 'refuse', resource: 'agent-sign-in', isOfCustomer: true },
  extension: true,
  params: Path({ ...ProjectPath.properties, signInId: Ref }),
  reply: { 200: AgentSignInDecision },
  problems: [AgentSignInNotFound, AgentSignInDecided],
  run: async ({ db, params }, services: { now: () => Date; publicUrl: string }) =>
    reply(200, await decide(db, services, params.signInId)),
})
