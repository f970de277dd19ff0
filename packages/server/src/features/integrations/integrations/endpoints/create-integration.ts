import { Type } from 'typebox'
import {
  bodyLimits,
  Empty,
  endpoint,
  FreeForm,
  ProjectPath,
  reply,
  UnacceptableInput,
} from '../../../../kernel/http/index.ts'
import { type DeployServices, deploy } from '../deploy.ts'
import { nameTaken, postedManifest } from '../posted-integration.ts'
import { DeployQueueFull, ManifestTooCostly } from '../problems.ts'
import type { ValidateServices } from '../validate-source.ts'

export const createIntegration = endpoint({
  id: 'createIntegration',
  method: 'POST',
  path: '/projects/{projectIdOrName}/integrations',
  access: 'develop',
  summary: 'Add one integration.',
  description: 'The content follows the rules of a deploy. To change an integration, deploy it or give it a revision.',
  tag: 'Integrations',
  params: ProjectPath,
  body: Type.Object({
    name: Type.String({ description: 'Name, unique in the project.' }),
    provider: Type.String({ description: 'Key of the provider in the catalog.' }),
    latestRevision: Type.Object(
      {
        specVersion: Type.String({ description: 'Version of the manifest format, such as `1.0.0`.' }),
        content: Type.Unsafe<Record<string, unknown>>({
          ...FreeForm,
          description:
            'The integration as a manifest defines it; its `name` and `provider` may be left out and are the same otherwise.',
        }),
      },
      { description: 'Its first revision.' },
    ),
  }),
  bodyBytesMax: bodyLimits.large,
  reply: { 201: Empty },
  problems: [UnacceptableInput, ManifestTooCostly, DeployQueueFull],
  run: async ({ db, body }, services: DeployServices & ValidateServices) => {
    const manifest = await postedManifest(db, body, services)
    const precheck = (there: ReadonlyMap<string, unknown>) => {
      if (there.has(body.name)) throw new UnacceptableInput({ issues: [nameTaken(body.name)] })
    }
    await deploy(db, { manifest, destructive: false, precheck }, services)
    return reply(201, null)
  },
})
