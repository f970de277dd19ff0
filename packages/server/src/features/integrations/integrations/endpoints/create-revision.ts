import { nearest } from '@mortise/manifest'
import { Type } from 'typebox'
import { bodyLimits, Empty, endpoint, Path, Ref, reply, UnacceptableInput } from '../../../../kernel/http/index.ts'
import { type DeployServices, deploy } from '../deploy.ts'
import { destructiveQuery, SourceBody, strictQuery } from '../model.ts'
import { DeployQueueFull, IntegrationNotFound, ManifestTooCostly } from '../problems.ts'
import { readSource, type SourceServices } from '../source/read-source.ts'
import { findIntegration } from '../store.ts'
import { acceptable, type ValidateServices, validateSource } from '../validate-source.ts'

export const createRevision = endpoint({
  id: 'createRevision',
  method: 'POST',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/revisions',
  access: 'develop',
  summary: 'Create a new revision of one integration.',
  description:
    'Takes a manifest that defines this integration, by name. The whole manifest is validated; its other integrations do not change. Unchanged content creates no revision. The header `x-mortise-advice-count` counts advice.',
  tag: 'Integrations',
  params: Path({ projectIdOrName: Ref, integrationId: Ref }),
  query: Type.Object({ destructive: destructiveQuery, strict: strictQuery }),
  body: SourceBody,
  bodyBytesMax: bodyLimits.large,
  reply: { 201: Empty },
  problems: [IntegrationNotFound, UnacceptableInput, ManifestTooCostly, DeployQueueFull],
  run: async ({ db, params, body, query, signal }, services: DeployServices & ValidateServices & SourceServices) => {
    const integration = await findIntegration(db, params.integrationId)
    if (!integration) throw new IntegrationNotFound()
    const { yaml, uploadId } = await readSource(db, body, services, signal)
    const result = await validateSource(db, yaml, query.strict, services)
    const { specVersion, integrations } = acceptable(result)
    const content = integrations.find(({ name }) => name === integration.name)
    if (!content) throw notInManifest(integration.name, integrations, body)
    const precheck = (there: ReadonlyMap<string, { id: string }>) => {
      // The integration was deleted meanwhile, and perhaps created again: the request is for a revision of the old one.
      if (there.get(integration.name)?.id !== integration.id) throw new IntegrationNotFound()
    }
    const manifest = { specVersion, integrations: [content] }
    await deploy(db, { manifest, destructive: query.destructive, uploadId, precheck }, services)
    return reply(201, null, { 'x-mortise-advice-count': String(result.findings.length) })
  },
})

function notInManifest(name: string, integrations: { name: string }[], body: { sourceZipUrl?: string }): Error {
  const names = integrations.map((integration) => integration.name)
  const meant = nearest(name, names)
  return new UnacceptableInput({
    issues: [
      {
        in: 'body',
        name: body.sourceZipUrl === undefined ? 'sourceYaml' : 'sourceZipUrl',
        detail: `The manifest does not define the integration ${JSON.stringify(name)}.`,
        remedy:
          meant === undefined
            ? 'Send a manifest with an integration of this name.'
            : `It defines ${JSON.stringify(meant)}: name that integration in the path, or correct its name.`,
      },
    ],
  })
}
