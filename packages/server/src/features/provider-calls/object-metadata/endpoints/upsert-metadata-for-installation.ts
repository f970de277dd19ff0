import { bodyLimits, endpoint, InvalidInput, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { findInstallationOfGroup, InstallationNotFound } from '../../../integrations/installations/index.ts'
import { findIntegration, IntegrationNotFound } from '../../../integrations/integrations/index.ts'
import { CapabilityNotImplemented, providerProblems } from '../../../provider-calls/calls/index.ts'
import type { DescribeServices } from '../describe-objects.ts'

import { upsertFields } from '../upsert-fields.ts'
import { UpsertMetadataRequest, UpsertMetadataResponse } from '../upsert-model.ts'

export const upsertMetadataForInstallation = endpoint({
  id: 'upsertMetadataForInstallation',
  method: 'PUT',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/object-metadata',
  access: 'develop',
  summary: 'Create or change fields of objects in the account of a group’s installation.',
  description:
    'Use the provider’s names of objects or their mapped names. An existing field gets its new name, description and additional choices. Types, existing choices and the provider’s own fields never change. `success` is false if a field is not as requested; its `warnings` say why.',
  tag: 'Objects and fields',
  params: Path({ projectIdOrName: Ref, integrationId: Ref }),
  body: UpsertMetadataRequest,
  bodyBytesMax: bodyLimits.large,
  reply: { 200: UpsertMetadataResponse },
  problems: [InvalidInput, IntegrationNotFound, InstallationNotFound, CapabilityNotImplemented, ...providerProblems],
  run: async ({ db, params, body, signal }, services: DescribeServices) => {
    const integration = await findIntegration(db, params.integrationId)
    if (!integration) throw new IntegrationNotFound()
    const installation = await findInstallationOfGroup(db, integration.id, body.groupRef)
    if (!installation)
      throw new InstallationNotFound({
        detail: 'The group has not installed the integration.',
        remedy: 'Install it for the group, or change the fields of a connection.',
      })
    const objects = [...(installation.integration.read?.objects ?? []), ...installation.removedReadObjects]
    const native = new Set(objects.map(({ objectName }) => objectName))
    const mapped = new Map(objects.map(({ mapToName, objectName }) => [mapToName, objectName]))
    const nameOf = (name: string) => (native.has(name) ? name : (mapped.get(name) ?? name))
    const target = { connectionId: installation.connectionId, module: installation.module }
    return reply(200, await upsertFields(db, services, target, body as UpsertMetadataRequest, signal, nameOf))
  },
})
