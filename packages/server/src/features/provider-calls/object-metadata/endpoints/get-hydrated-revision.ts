import { Type } from 'typebox'
import { endpoint, InvalidInput, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { ConnectionNotFound, findConnection } from '../../../accounts/connections/index.ts'
import {
  findIntegration,
  findRevision,
  IntegrationNotFound,
  RevisionNotFound,
} from '../../../integrations/integrations/index.ts'
import { CapabilityNotImplemented, providerProblems } from '../../../provider-calls/calls/index.ts'
import { type Described, type DescribeServices, describeObjects, isOfConnection } from '../describe-objects.ts'
import { hydratedContent } from '../hydrate.ts'
import { HydratedRevision } from '../hydrated-model.ts'

export const getHydratedRevision = endpoint({
  id: 'getHydratedRevision',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/revisions/{revisionId}:hydrate',
  access: 'frontendView',
  session: 'install',
  summary: 'Show a revision with the provider’s fields for one account.',
  description:
    'Mortise asks the provider once for each object that is read, and caches the answers for half a minute. An object that the provider cannot describe has the reason in `error`. If this applies to all objects, the response is a problem.',
  tag: 'Integrations',
  params: Path({ projectIdOrName: Ref, integrationId: Ref, revisionId: Ref }),
  query: Type.Object({
    connectionId: Type.String({ minLength: 1, description: 'The connection to use.' }),
  }),
  reply: { 200: HydratedRevision },
  problems: [IntegrationNotFound, RevisionNotFound, ConnectionNotFound, CapabilityNotImplemented, ...providerProblems],
  run: async ({ db, params, query, confinedTo, signal }, services: DescribeServices) => {
    const integration = await findIntegration(db, params.integrationId, confinedTo)
    if (!integration) throw new IntegrationNotFound()
    const revision = await findRevision(db, integration.id, params.revisionId)
    if (!revision) throw new RevisionNotFound()
    const connection = await findConnection(db, query.connectionId, confinedTo)
    if (!connection) throw new ConnectionNotFound()
    const { content } = revision
    if (connection.provider !== content.provider)
      throw new InvalidInput({
        issues: [
          {
            in: 'query',
            name: 'connectionId',
            value: query.connectionId,
            detail: `The connection is to ${connection.provider}, the integration is one of ${content.provider}.`,
            remedy: `Send a connection to ${content.provider}.`,
          },
        ],
      })
    const target = { connectionId: connection.connection_id, module: content.module }
    const names = (content.read?.objects ?? []).map(({ objectName }) => objectName)
    const described = await describeObjects(db, services, target, names, signal)
    throwTotalFailure([...described.values()])
    return reply(200, { ...revision, content: hydratedContent(content, described) })
  },
})

/** A connection that cannot be used is a failure of all; so is a provider that failed for every object. */
function throwTotalFailure(described: Described[]): void {
  const failures = described.flatMap((answer) => ('failure' in answer ? [answer.failure] : []))
  const total =
    failures.find(isOfConnection) ??
    (failures.length === described.length && failures.every(({ scope }) => scope === 'provider')
      ? failures[0]
      : undefined)
  if (total) throw total.problem
}
