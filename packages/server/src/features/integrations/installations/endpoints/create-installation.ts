import { Type } from 'typebox'
import { authorOf, endpoint, Path, Ref, reply, UnacceptableInput } from '../../../../kernel/http/index.ts'
import { CapabilityNotImplemented } from '../../../provider-calls/calls/index.ts'
import { findIntegration, IntegrationNotFound } from '../../integrations/index.ts'
import { ConfigContent } from '../content.ts'
import { furtherOfCreate } from '../further-issues.ts'
import { install } from '../install.ts'
import { withMissingScopes } from '../missing-scopes.ts'
import { InstallationNotFound, SampleReadFailed } from '../problems.ts'
import { Installation } from '../resource.ts'
import { findInstallationRow } from '../store.ts'
import type { InstallationServices } from '../try-config.ts'

export const skipSampling = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Do not read one record of each scheduled object to try the config before it is saved.',
  }),
)

export const createdBy = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 512,
    description: 'Who created the config. By default `builder:{id}` of the caller.',
  }),
)

export const createInstallation = endpoint({
  id: 'createInstallation',
  method: 'POST',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations',
  access: 'frontendDevelop',
  session: 'install',
  summary: 'Install an integration for a group.',
  tag: 'Installations',
  params: Path({ projectIdOrName: Ref, integrationId: Ref }),
  query: Type.Object({ skipSampling }),
  body: Type.Object({
    groupRef: Type.String({ minLength: 1, maxLength: 200, description: 'The group to install for.' }),
    connectionId: Type.Optional(
      Type.String({ description: 'The connection to use; the newest one of the group to the provider when absent.' }),
    ),
    config: Type.Object({
      content: ConfigContent,
      createdBy,
      revisionId: Type.Optional(Type.String({ description: 'Deprecated and ignored.' })),
    }),
  }),
  reply: { 201: Installation },
  problems: [IntegrationNotFound, UnacceptableInput, CapabilityNotImplemented, SampleReadFailed],
  moreIssues: furtherOfCreate,
  run: async ({ db, params, query, body, caller, confinedTo, signal }, services: InstallationServices) => {
    const integration = await findIntegration(db, params.integrationId, confinedTo)
    if (!integration) throw new IntegrationNotFound()
    const { groupRef, connectionId, config } = body
    const id = await install(
      db,
      services,
      { integration, groupRef, connectionId, content: config.content, createdBy: config.createdBy ?? authorOf(caller) },
      { skipSampling: query.skipSampling === true, signal },
    )
    const row = await findInstallationRow(db, id)
    if (!row) throw new InstallationNotFound()
    const [installation] = await withMissingScopes(db, services, [row])
    if (!installation) throw new InstallationNotFound()
    return reply(201, installation)
  },
})
