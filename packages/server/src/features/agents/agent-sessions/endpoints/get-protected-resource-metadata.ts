import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { mcpUrl } from '../addresses.ts'
import { ProtectedResourceMetadata, resourceMetadata } from '../metadata.ts'
import { signInProject } from '../sign-in-project.ts'
import { projectIssuer } from '../token-issuer.ts'

export const getProtectedResourceMetadata = endpoint({
  id: 'getProtectedResourceMetadata',
  method: 'GET',
  path: '//.well-known/oauth-protected-resource/mcp/v1/projects/{projectIdOrName}',
  access: 'public',
  summary: 'Metadata of the MCP server of a project (RFC 9728).',
  description: 'Names the authorization server. A 401 of the MCP server has this address.',
  tag: 'Agent sign-in',
  extension: true,
  params: ProjectPath,
  reply: { 200: ProtectedResourceMetadata },
  problems: [NotFound],
  run: async ({ params: { projectIdOrName } }, services: { database: Database; publicUrl: string }) => {
    const project = await signInProject(services, projectIdOrName)
    const issuer = projectIssuer(services.publicUrl, project)
    return reply(200, resourceMetadata(issuer, mcpUrl(services.publicUrl, projectIdOrName)))
  },
})
