import { Type } from 'typebox'
import { authorOf, Enum, endpoint, InvalidInput, type Issue, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { CapabilityNotImplemented } from '../../../provider-calls/calls/index.ts'
import { findIntegration, IntegrationNotFound } from '../../integrations/index.ts'
import { changeInstallation } from '../change-installation.ts'
import { furtherOfPatch } from '../further-issues.ts'
import { withMissingScopes } from '../missing-scopes.ts'
import { locationOf } from '../object-patch.ts'
import { patchFaultIssue, patchIssues, targetIssues } from '../patch-issues.ts'
import { patchedContent } from '../patched-content.ts'
import { InstallationBusy, InstallationNotFound, SampleReadFailed } from '../problems.ts'
import { Installation } from '../resource.ts'
import { findInstallationOfGroup, findInstallationRow, installationOf } from '../store.ts'
import type { InstallationServices } from '../try-config.ts'
import { type Action, actions } from '../validate-content.ts'

const PatchOperation = Type.Object({
  op: Type.String({ description: '`add`, `replace` or `remove` (RFC 6902).' }),
  path: Type.String({
    maxLength: 5_000,
    description: 'JSON Pointer (RFC 6901) into the object’s config, such as `/schedule` or `/selectedFields/name`.',
  }),
  value: Type.Optional(Type.Unknown({ description: 'For `add` and `replace`.' })),
})

export const patchObjectConfigContent = endpoint({
  id: 'patchObjectConfigContent',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}/config-content',
  access: 'frontendDevelop',
  summary: 'Change the config of one object of an installation by JSON Patch.',
  description:
    'The patch applies to the effective config: the manifest’s values overlaid by what the installation has chosen. All operations apply, or none.',
  tag: 'Installations',
  audit: { verb: 'update', resource: 'installation' },
  params: Path({ projectIdOrName: Ref, integrationId: Ref, objectName: Ref }),
  body: Type.Object({
    groupRef: Type.Optional(
      Type.String({ minLength: 1, description: 'The group; of several installations the newest is changed.' }),
    ),
    installationId: Type.Optional(Type.String({ minLength: 1, description: 'The installation, instead of a group.' })),
    action: Enum([...actions] as [Action, ...Action[]], {
      description: 'The action that the object is configured for.',
    }),
    changes: Type.Array(PatchOperation, { minItems: 1, description: 'Applied in this order.' }),
  }),
  reply: { 200: Installation },
  problems: [
    IntegrationNotFound,
    InstallationNotFound,
    InvalidInput,
    CapabilityNotImplemented,
    SampleReadFailed,
    InstallationBusy,
  ],
  moreIssues: furtherOfPatch,
  run: async ({ db, params, body, caller, confinedTo, signal }, services: InstallationServices) => {
    const { groupRef, installationId, action, changes } = body
    const integration = await findIntegration(db, params.integrationId)
    if (!integration) throw new IntegrationNotFound()
    const invalid = (issues: Issue[]) => new InvalidInput({ issues })
    const patch = { action, name: params.objectName, changes }
    const issues = [...targetIssues(body), ...patchIssues(integration.content, patch)]
    if (issues.length > 0) throw invalid(issues)
    const find = async () => {
      if (installationId !== undefined) {
        const installation = await installationOf(db, integration.id, installationId, confinedTo)
        if (groupRef !== undefined && installation && installation.groupRef !== groupRef)
          throw invalid([
            {
              in: 'body',
              name: 'installationId',
              value: installationId,
              detail: 'The installation belongs to another group than groupRef.',
            },
          ])
        return installation
      }
      return groupRef === undefined ? undefined : await findInstallationOfGroup(db, integration.id, groupRef)
    }
    let prefix = ''
    // A result that the integration does not allow is a bad patch: 400, blamed on the operation that made it.
    const refuse = (issues: Issue[]) =>
      invalid(
        issues.map((issue) => {
          const [key = ''] = issue.name.slice(prefix.length).split('.', 1)
          return { ...issue, ...patchFaultIssue({ ...locationOf(key, changes), detail: issue.detail }, changes) }
        }),
      )
    const id = await changeInstallation(
      db,
      services,
      find,
      ({ content, integration: manifest }) => {
        const result = patchedContent(manifest, content, patch)
        if ('faults' in result) throw invalid(result.faults.map((fault) => patchFaultIssue(fault, changes)))
        prefix = `config.content.${action}.objects.${result.objectName}.`
        return { content: result.content }
      },
      {
        skipSampling: action !== 'read',
        signal,
        createdBy: authorOf(caller),
        refuse,
        mayPrepare: action !== 'read',
      },
    )
    const row = await findInstallationRow(db, id)
    if (!row) throw new InstallationNotFound()
    const [installation] = await withMissingScopes(db, services, [row])
    if (!installation) throw new InstallationNotFound()
    return reply(200, installation)
  },
})
