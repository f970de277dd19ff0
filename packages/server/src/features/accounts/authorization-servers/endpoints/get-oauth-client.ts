import { Type } from 'typebox'
import { type Database, isId } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, named, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { findProjectRow, shownAppName } from '../../../identity/projects/index.ts'
import { clientDocument } from '../client-document.ts'

const text = (description: string) => Type.String({ description })
const texts = (description: string) => Type.Array(Type.String(), { description })

const OAuthClient = named(
  'OAuthClient',
  Type.Object(
    {
      client_id: text('Address of this document, which is the id of the client.'),
      client_name: text('Name of your application.'),
      client_uri: text('Address of this service.'),
      redirect_uris: texts('Where the browser returns to.'),
      grant_types: texts('Grants.'),
      response_types: texts('Types of responses.'),
      application_type: text('Kind of application.'),
      token_endpoint_auth_method: text('The client is public.'),
    },
    { description: 'The client of a project at authorization servers (RFC 7591, 2).' },
  ),
)

export const getOAuthClient = endpoint({
  id: 'getOAuthClient',
  method: 'GET',
  path: '//callbacks/v1/oauth/clients/{projectIdOrName}',
  access: 'public',
  summary: 'Client ID metadata document of a project.',
  description:
    'Authorization servers of MCP servers fetch it when a customer authorizes an account without a provider app (draft-ietf-oauth-client-id-metadata-document).',
  tag: 'Connections',
  extension: true,
  params: ProjectPath,
  reply: { 200: OAuthClient },
  problems: [NotFound],
  run: async ({ params: { projectIdOrName: projectId } }, services: { database: Database; publicUrl: string }) => {
    const project = isId(projectId) ? await findProjectRow(services.database.system, projectId) : undefined
    if (!project) throw new NotFound({ detail: 'There is no client of this project.' })
    const document = clientDocument(services, projectId, shownAppName(project))
    return reply(200, document, { 'cache-control': 'public, max-age=3600' })
  },
})
