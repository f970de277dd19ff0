import { Type } from 'typebox'
import { bodyLimits, endpoint, ProjectPath, reply, UnacceptableInput } from '../../../../kernel/http/index.ts'
import { Finding, SourceBody, strictQuery } from '../model.ts'
import { DeployQueueFull, ManifestTooCostly } from '../problems.ts'
import { readSource, type SourceServices } from '../source/read-source.ts'
import { type ValidateServices, validateSource } from '../validate-source.ts'

export const validateManifest = endpoint({
  id: 'validateManifest',
  method: 'POST',
  path: '/projects/{projectIdOrName}/integrations:validate',
  access: 'develop',
  summary: 'Validate a manifest: returns what a deploy of the same body would return, and changes nothing.',
  description: 'Lists errors and advice. An upload is not used up.',
  tag: 'Integrations',
  audit: { exempt: 'changes nothing' },
  extension: true,
  params: ProjectPath,
  query: Type.Object({ strict: strictQuery }),
  body: SourceBody,
  bodyBytesMax: bodyLimits.large,
  reply: {
    200: Type.Object({
      valid: Type.Boolean({ description: 'Whether a deploy would be accepted: no finding is an error.' }),
      findings: Type.Array(Finding, { description: 'In the order of the text, at most 100.' }),
    }),
  },
  problems: [UnacceptableInput, ManifestTooCostly, DeployQueueFull],
  run: async ({ db, body, query: { strict }, signal }, services: ValidateServices & SourceServices) => {
    const { yaml } = await readSource(db, body, services, signal)
    const { valid, findings } = await validateSource(db, yaml, strict, services)
    return reply(200, { valid, findings })
  },
})
