import { endpoint, NotFound, ProjectPath } from '../../../../kernel/http/index.ts'
import type { GrantServices } from '../grant-tokens.ts'
import { signInProject } from '../sign-in-project.ts'
import { projectIssuer } from '../token-issuer.ts'
import { tokenExchange, tokenReply } from '../token-request.ts'

export const exchangeAgentToken = endpoint({
  ...tokenExchange,
  id: 'exchangeAgentToken',
  path: '//mcp/v1/projects/{projectIdOrName}/oauth/token',
  summary: 'Token endpoint (RFC 6749): exchange a code or a refresh token.',
  audit: { verb: 'create', resource: 'agent-session', isOfCustomer: true },
  params: ProjectPath,
  problems: [NotFound],
  run: async ({ params, ...request }, services: GrantServices & { publicUrl: string }) => {
    request.note({ outcome: 'none' })
    const project = await signInProject(services, params.projectIdOrName)
    return await tokenReply(services, projectIssuer(services.publicUrl, project), request)
  },
})
