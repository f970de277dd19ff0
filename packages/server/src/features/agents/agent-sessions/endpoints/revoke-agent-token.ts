import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, ProjectPath } from '../../../../kernel/http/index.ts'
import type { BuilderSessionServices } from '../builder-session.ts'
import { signInProject } from '../sign-in-project.ts'
import { projectIssuer } from '../token-issuer.ts'
import { revocation, revocationReply } from '../token-revocation.ts'

export const revokeAgentToken = endpoint({
  ...revocation,
  id: 'revokeAgentToken',
  path: '//mcp/v1/projects/{projectIdOrName}/oauth/revoke',
  summary: 'Revocation endpoint (RFC 7009): a client signs out.',
  audit: { verb: 'delete', resource: 'agent-session', isOfCustomer: true },
  params: ProjectPath,
  problems: [NotFound],
  run: async ({ params, ...request }, services: BuilderSessionServices & { database: Database; publicUrl: string }) => {
    request.note({ outcome: 'none' })
    const project = await signInProject(services, params.projectIdOrName)
    return await revocationReply(services, projectIssuer(services.publicUrl, project), request)
  },
})
