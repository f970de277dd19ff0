import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, ProjectPath } from '../../../../kernel/http/index.ts'
import type { AddressGuard, Outbound } from '../../../../kernel/net/index.ts'
import { authorization, authorizationReply } from '../authorization-request.ts'
import { signInProject } from '../sign-in-project.ts'
import { projectIssuer } from '../token-issuer.ts'

export const beginAgentSignIn = endpoint({
  ...authorization,
  id: 'beginAgentSignIn',
  path: '//mcp/v1/projects/{projectIdOrName}/oauth/authorize',
  summary: 'Authorization endpoint (RFC 6749): the browser of a user begins to sign in.',
  description:
    'Checks the request, stores it for ten minutes, and redirects to `agentSignInUrl` of the project with `request`. A request that is not valid gets a page, and never a redirect.',
  params: ProjectPath,
  problems: [NotFound],
  run: async (
    { params, ...request },
    services: {
      database: Database
      outbound: Outbound
      guard: AddressGuard
      now: () => Date
      newId: NewId
      publicUrl: string
    },
  ) => {
    const project = await signInProject(services, params.projectIdOrName)
    return await authorizationReply(services, projectIssuer(services.publicUrl, project), request)
  },
})
