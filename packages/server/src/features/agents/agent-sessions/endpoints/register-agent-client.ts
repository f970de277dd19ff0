import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, ProjectPath } from '../../../../kernel/http/index.ts'
import { registerClient, registration } from '../client-registration.ts'
import { TooManyAgentClients } from '../problems.ts'
import { signInProject } from '../sign-in-project.ts'
import { projectIssuer } from '../token-issuer.ts'

export const registerAgentClient = endpoint({
  ...registration,
  id: 'registerAgentClient',
  path: '//mcp/v1/projects/{projectIdOrName}/oauth/register',
  summary: 'Register an MCP client (RFC 7591).',
  params: ProjectPath,
  problems: [NotFound, TooManyAgentClients],
  run: async ({ params, body }, services: { database: Database; newId: NewId; now: () => Date; publicUrl: string }) => {
    const project = await signInProject(services, params.projectIdOrName)
    return await registerClient(services, projectIssuer(services.publicUrl, project), body)
  },
})
