import type { Database } from '../../../kernel/db/index.ts'
import { endpoint, NotFound, ProjectPath, reply } from '../../../kernel/http/index.ts'
import { AuthorizationServerMetadata, serverMetadata } from './metadata.ts'
import { signInProject } from './sign-in-project.ts'
import { projectIssuer } from './token-issuer.ts'

/** Clients look for metadata in three places, which the specification of MCP names. */
export function metadataEndpoint({ id, path, standard }: { id: string; path: string; standard: string }) {
  return endpoint({
    id,
    method: 'GET',
    path,
    access: 'public',
    summary: `Metadata of the authorization server of a project (${standard}).`,
    description: 'Where and how MCP clients sign people in. The path has the id of the project, as its issuer.',
    tag: 'Agent sign-in',
    extension: true,
    params: ProjectPath,
    reply: { 200: AuthorizationServerMetadata },
    problems: [NotFound],
    run: async ({ params }, services: { database: Database; publicUrl: string }) => {
      const project = await signInProject(services, params.projectIdOrName)
      // The issuer of a document must be the one that its address names (RFC 8414, 3.3).
      if (params.projectIdOrName !== project.id) throw new NotFound({ detail: 'The issuer has the id of the project.' })
      return reply(200, serverMetadata(projectIssuer(services.publicUrl, project)))
    },
  })
}
