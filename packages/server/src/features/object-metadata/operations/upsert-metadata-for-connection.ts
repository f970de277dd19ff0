import { bodyLimits, InvalidInput, operation, Path, Ref, reply } from '../../../kernel/http/index.ts'
import { ConnectionNotFound, findDefaultConnection } from '../../connections/index.ts'
import { CapabilityNotImplemented } from '../../installations/index.ts'
import type { DescribeServices } from '../describe-objects.ts'
import { notConnected } from '../not-connected.ts'
import { providerProblems } from '../problems.ts'
import { upsertFields } from '../upsert-fields.ts'
import { UpsertMetadataRequest, UpsertMetadataResponse } from '../upsert-model.ts'

export const upsertMetadataForConnection = operation({
  id: 'upsertMetadataForConnection',
  method: 'PUT',
  path: '/projects/{projectIdOrName}/providers/{provider}/object-metadata',
  access: 'full',
  summary: 'Makes or changes fields of objects in the account of a group’s connection.',
  description:
    'Objects are named as the provider does. The newest connection of the group to the provider is used, in the provider’s default module. What is said of an installation’s fields holds here, too.',
  tag: 'Objects and fields',
  params: Path({ projectIdOrName: Ref, provider: Ref }),
  body: UpsertMetadataRequest,
  bodyBytesMax: bodyLimits.large,
  reply: { 200: UpsertMetadataResponse },
  problems: [InvalidInput, ConnectionNotFound, CapabilityNotImplemented, ...providerProblems],
  run: async ({ db, params, body, signal }, services: DescribeServices) => {
    const connection = await findDefaultConnection(db, params.provider, body.groupRef)
    if (!connection) throw notConnected(services.catalogue, params.provider)
    const place = { connectionId: connection.connection_id, module: undefined }
    return reply(200, await upsertFields(db, services, place, body as UpsertMetadataRequest, signal))
  },
})
