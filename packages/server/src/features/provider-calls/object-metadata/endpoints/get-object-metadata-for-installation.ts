import { Type } from 'typebox'
import { endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { findInstallationOfGroup, InstallationNotFound } from '../../../integrations/installations/index.ts'
import { findIntegration, IntegrationNotFound } from '../../../integrations/integrations/index.ts'
import { CapabilityNotImplemented, providerProblems } from '../../../provider-calls/calls/index.ts'
import { type DescribeServices, describeObject } from '../describe-objects.ts'
import { ObjectMetadata, withoutReadOnly } from '../model.ts'

export const metadataQuery = Type.Object({
  groupRef: Type.String({ minLength: 1, description: 'The group whose account to use.' }),
  excludeReadOnly: Type.Boolean({ default: false, description: 'Without the fields that cannot be written.' }),
})

export const getObjectMetadataForInstallation = endpoint({
  id: 'getObjectMetadataForInstallation',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}/metadata',
  access: 'frontendView',
  summary: 'Show the fields of an object, through a group’s installation.',
  description:
    'Use the provider’s name of the object or its mapped name. You can request any object of the provider. If the group has several installations, Mortise uses the newest. The provider’s answer is cached for half a minute.',
  tag: 'Objects and fields',
  params: Path({ projectIdOrName: Ref, integrationId: Ref, objectName: Ref }),
  query: metadataQuery,
  reply: { 200: ObjectMetadata },
  problems: [IntegrationNotFound, InstallationNotFound, CapabilityNotImplemented, ...providerProblems],
  run: async ({ db, params, query, signal }, services: DescribeServices) => {
    const integration = await findIntegration(db, params.integrationId)
    if (!integration) throw new IntegrationNotFound()
    const installation = await findInstallationOfGroup(db, integration.id, query.groupRef)
    if (!installation)
      throw new InstallationNotFound({
        detail: 'The group has not installed the integration.',
        remedy: 'Install it for the group, or ask for the object of a connection.',
      })
    const objects = [...(installation.integration.read?.objects ?? []), ...installation.removedReadObjects]
    const declared =
      objects.find(({ objectName }) => objectName === params.objectName) ??
      objects.find(({ mapToName }) => mapToName === params.objectName)
    const target = { connectionId: installation.connectionId, module: installation.module }
    const objectName = declared?.objectName ?? params.objectName
    const metadata = await describeObject(db, services, target, objectName, signal)
    const mapped = declared?.mapToName === undefined ? {} : { mappedObjectName: declared.mapToName }
    return reply(200, { ...(query.excludeReadOnly ? withoutReadOnly(metadata) : metadata), ...mapped })
  },
})
