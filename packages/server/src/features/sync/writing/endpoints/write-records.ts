import { Type } from 'typebox'
import { bodyLimits, endpoint, InvalidInput, Path, Ref } from '../../../../kernel/http/index.ts'
import { findInstallationOfGroup } from '../../../integrations/installations/index.ts'
import { findIntegration, IntegrationNotFound } from '../../../integrations/integrations/index.ts'
import { CapabilityNotImplemented } from '../../../provider-calls/calls/index.ts'
import { WriteRequest, WriteResponse } from '../model.ts'
import { writeLive } from '../write-live.ts'
import type { WriteServices } from '../write-services.ts'

export const writeRecords = endpoint({
  id: 'writeRecords',
  method: 'POST',
  path: '//write/v1/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}',
  access: 'develop',
  summary: 'Create, update or delete records at the provider.',
  description:
    'One record or up to 100, while you wait or in the background; more in the background, where the provider writes many records by a job. Names, values and defaults follow the manifest and the config of the installation.',
  tag: 'Write',
  audit: { exempt: 'is an operation' },
  params: Path({ projectIdOrName: Ref, integrationId: Ref, objectName: Ref }),
  query: Type.Object({
    strict: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether to refuse a record with a field that the provider file does not send. Otherwise `warnings` name the field.',
      }),
    ),
  }),
  body: WriteRequest,
  bodyBytesMax: bodyLimits.large,
  reply: { 200: WriteResponse, 422: WriteResponse },
  plainBadRequests: true,
  problems: [InvalidInput, IntegrationNotFound, CapabilityNotImplemented],
  run: async ({ db, params, query, body, log }, services: WriteServices) => {
    const integration = await findIntegration(db, params.integrationId)
    if (!integration) throw new IntegrationNotFound()
    const installation = await findInstallationOfGroup(db, integration.id, body.groupRef)
    const write = { db, services, log, installation, objectName: params.objectName, body, ...query }
    return await writeLive(write)
  },
})
