import { bodyLimits, endpoint, InvalidInput, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { ConnectionNotFound, findDefaultConnection } from '../../../accounts/connections/index.ts'
import { CapabilityNotImplemented, providerProblems } from '../../../provider-calls/calls/index.ts'

import type { DescribeServices } from '../describe-objects.ts'
import { notConnected } from '../not-connected.ts'

import { upsertFields } from '../upsert-fields.ts'
import { UpsertMetadataRequest, UpsertMetadataResponse } from '../upsert-model.ts'

export const upsertMetadataForConnection = endpoint({
  id: 'upsertMetadataForConnection',
  method: 'PUT',
  path: '/projects/{projectIdOrName}/providers/{provider}/object-metadata',
  access: 'develop',
  summary: 'Create or change fields of objects in the account of a group’s connection.',
  description:
    'Use the provider’s names of objects. Mortise uses the group’s newest connection to the provider, in the provider’s default module. Otherwise as for an installation’s fields.',
  tag: 'Objects and fields',
  params: Path({ projectIdOrName: Ref, provider: Ref }),
  body: UpsertMetadataRequest,
  bodyBytesMax: bodyLimits.large,
  reply: { 200: UpsertMetadataResponse },
  problems: [InvalidInput, ConnectionNotFound, CapabilityNotImplemented, ...providerProblems],
  run: async ({ db, params, body, signal }, services: DescribeServices) => {
    const connection = await findDefaultConnection(db, params.provider, body.groupRef)
    if (!connection) throw notConnected(services.catalogue, params.provider)
    const target = { connectionId: connection.connection_id, module: undefined }
    return reply(200, await upsertFields(db, services, target, body as UpsertMetadataRequest, signal))
  },
})
