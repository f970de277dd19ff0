import { Type } from 'typebox'
import { authorOf, endpoint, InvalidInput, reply, UnacceptableInput } from '../../../../kernel/http/index.ts'
import { CapabilityNotImplemented } from '../../../provider-calls/calls/index.ts'
import { findIntegration, IntegrationNotFound } from '../../integrations/index.ts'
import { changeInstallation } from '../change-installation.ts'
import { PartialConfigContent } from '../content.ts'
import { furtherOfUpdate } from '../further-issues.ts'
import { withMissingScopes } from '../missing-scopes.ts'
import { InstallationBusy, InstallationNotFound, SampleReadFailed } from '../problems.ts'
import { Installation } from '../resource.ts'
import { findInstallationRow, installationOf } from '../store.ts'
import type { InstallationServices } from '../try-config.ts'
import { applyUpdateMask } from '../update-mask.ts'
import { createdBy, skipSampling } from './create-installation.ts'
import { installationPath } from './get-installation.ts'

export const updateInstallation = endpoint({
  id: 'updateInstallation',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}',
  access: 'frontendDevelop',
  session: 'install',
  summary: 'Change the parts of an installation that the update mask names.',
  tag: 'Installations',
  params: installationPath,
  query: Type.Object({ skipSampling }),
  body: Type.Object({
    updateMask: Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), {
      minItems: 1,
      maxItems: 1_000,
      description: 'Dotted paths into `installation`. Each value is replaced; nothing else changes.',
    }),
    installation: Type.Object({
      connectionId: Type.Optional(Type.String({ minLength: 1, description: 'Another connection of the group.' })),
      config: Type.Optional(
        Type.Object({
          content: Type.Optional(PartialConfigContent),
          createdBy,
          revisionId: Type.Optional(Type.String({ description: 'Deprecated and ignored.' })),
        }),
      ),
    }),
  }),
  reply: { 200: Installation },
  problems: [
    IntegrationNotFound,
    InstallationNotFound,
    InvalidInput,
    UnacceptableInput,
    CapabilityNotImplemented,
    SampleReadFailed,
    InstallationBusy,
  ],
  moreIssues: furtherOfUpdate,
  run: async ({ db, params, query, body, caller, confinedTo, signal }, services: InstallationServices) => {
    const integration = await findIntegration(db, params.integrationId, confinedTo)
    if (!integration) throw new IntegrationNotFound()
    const id = await changeInstallation(
      db,
      services,
      () => installationOf(db, integration.id, params.installationId, confinedTo),
      ({ content }) => {
        const masked = applyUpdateMask(content, body.updateMask, body.installation)
        if ('issues' in masked) throw new InvalidInput({ issues: masked.issues })
        return masked.update
      },
      { skipSampling: query.skipSampling === true, signal, createdBy: authorOf(caller) },
    )
    const row = await findInstallationRow(db, id)
    if (!row) throw new InstallationNotFound()
    const [installation] = await withMissingScopes(db, services, [row])
    if (!installation) throw new InstallationNotFound()
    return reply(200, installation)
  },
})
