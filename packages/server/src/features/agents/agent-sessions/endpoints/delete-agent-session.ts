import { Empty, endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { AgentSessionNotFound } from '../problems.ts'
import { deleteAgentSession as deleteRow } from '../session-store.ts'

export const deleteAgentSession = endpoint({
  id: 'deleteAgentSession',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/agent-sessions/{agentSessionId}',
  access: 'operate',
  summary: 'End an agent session.',
  description: 'Its tokens stop working immediately. The user can sign in again.',
  tag: 'Agent sign-in',
  audit: { resource: 'agent-session', isOfCustomer: true },
  extension: true,
  params: Path({ ...ProjectPath.properties, agentSessionId: Ref }),
  reply: { 204: Empty },
  problems: [AgentSessionNotFound],
  run: async ({ db, params }) => {
    if (!(await deleteRow(db, params.agentSessionId))) throw new AgentSessionNotFound()
    return reply(204, null)
  },
})
