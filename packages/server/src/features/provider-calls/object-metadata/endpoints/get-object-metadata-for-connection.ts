import { endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { ConnectionNotFound, findDefaultConnection } from '../../../accounts/connections/index.ts'
import { CapabilityNotImplemented, providerProblems } from '../../../provider-calls/calls/index.ts'

import { type DescribeServices, describeObject } from '../describe-objects.ts'
import { ObjectMetadata, withoutReadOnly } from '../model.ts'
import { notConnected } from '../not-connected.ts'

import { metadataQuery } from './get-object-metadata-for-installation.ts'

export const getObjectMetadataForConnection = endpoint({
  id: 'getObjectMetadataForConnection',
  method: 'GET',
  path: '/projects/{projectIdOrName}/providers/{provider}/objects/{objectName}/metadata',
  access: 'frontendView',
  summary: 'Show the fields of a provider’s object, through a group’s connection.',
  description:
    'Use the provider’s name of the object. Mortise uses the group’s newest connection to the provider, in the provider’s default module, and caches the answer for half a minute.',
  tag: 'Objects and fields',
  params: Path({ projectIdOrName: Ref, provider: Ref, objectName: Ref }),
  query: metadataQuery,
  reply: { 200: ObjectMetadata },
  problems: [ConnectionNotFound, CapabilityNotImplemented, ...providerProblems],
  run: async ({ db, params, query, signal }, services: DescribeServices) => {
    const { provider, objectName } = params
    const connection = await findDefaultConnection(db, provider, query.groupRef)
    if (!connection) throw notConnected(services.catalogue, provider)
    const target = { connectionId: connection.connection_id, module: undefined }
    const metadata = await describeObject(db, services, target, objectName, signal)
    return reply(200, query.excludeReadOnly ? withoutReadOnly(metadata) : metadata)
  },
})
