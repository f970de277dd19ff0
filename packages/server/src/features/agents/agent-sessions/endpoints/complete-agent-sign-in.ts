import { Type } from 'typebox'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { decide } from '../decide-sign-in.ts'
import { AgentSignInDecided, AgentSignInNotFound } from '../problems.ts'
import { AgentSignInDecision } from '../sign-in-resource.ts'

const ref = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })
const optionalName = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }))

export const completeAgentSignIn = endpoint({
  id: 'completeAgentSignIn',
  method: 'POST',
  path: '/projects/{projectIdOrName}/agent-sign-ins/{signInId}:complete',
  access: 'develop',
  summary: 'Say who signed in, after the user has agreed.',
  description:
    'Call it from your server, for the user of your session who clicked a button of your page. Then redirect the browser to `redirectUrl`. The client gets the tools of the group, as this consumer.',
  tag: 'Agent sign-in',
  audit: { verb: 'complete', resource: 'agent-sign-in', isOfCustomer: true },
  extension: true,
  params: Path({ ...ProjectPath.properties, signInId: Ref }),
  body: Type.Object({
    groupRef: ref('Your id of the group that the user belongs to.'),
    groupName: optionalName('Name of the group.'),
    consumerRef: ref('Your id of the user.'),
    consumerName: optionalName('Name of the user.'),
  }),
  reply: { 200: AgentSignInDecision },
  problems: [AgentSignInNotFound, AgentSignInDecided],
  run: async ({ db, params, body }, services: { now: () => Date; publicUrl: string }) =>
    reply(200, await decide(db, services, params.signInId, body)),
})
