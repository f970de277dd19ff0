import { Type } from 'typebox'
import { bodyLimits, endpoint, ProjectPath, reply, UnacceptableInput } from '../../../../kernel/http/index.ts'
import { type DeployServices, deploy } from '../deploy.ts'
import { destructiveQuery, Integration, SourceBody, strictQuery } from '../model.ts'
import { DeployQueueFull, ManifestTooCostly } from '../problems.ts'
import { readSource, type SourceServices } from '../source/read-source.ts'
import { acceptable, type ValidateServices, validateSource } from '../validate-source.ts'

export const batchUpsertIntegrations = endpoint({
  id: 'batchUpsertIntegrations',
  method: 'PUT',
  path: '/projects/{projectIdOrName}/integrations:batch',
  access: 'develop',
  summary: 'Deploy a manifest: adds its integrations, or creates new revisions of them.',
  description:
    'Applies completely or not at all. Integrations are identified by name. An integration gets a new revision only when its content changed. Integrations that the manifest does not name remain. The header `x-mortise-advice-count` counts advice; validateManifest lists it.',
  tag: 'Integrations',
  audit: { verb: 'deploy' },
  params: ProjectPath,
  query: Type.Object({
    destructive: destructiveQuery,
    strict: strictQuery,
  }),
  body: SourceBody,
  bodyBytesMax: bodyLimits.large,
  invalidInputStatus: 422,
  reply: { 200: Type.Array(Integration, { description: 'The integrations of the manifest, in its order.' }) },
  problems: [UnacceptableInput, ManifestTooCostly, DeployQueueFull],
  run: async (
    { db, body, query: { destructive, strict }, signal },
    services: DeployServices & ValidateServices & SourceServices,
  ) => {
    const { yaml, uploadId } = await readSource(db, body, services, signal)
    const result = await validateSource(db, yaml, strict, services)
    const integrations = await deploy(db, { manifest: acceptable(result), destructive, uploadId }, services)
    return reply(200, integrations, { 'x-mortise-advice-count': String(result.findings.length) })
  },
})
