import { manifestSchema } from '@mortise/manifest'
import { providerFileSchema } from '@mortise/providers'
import { Type } from 'typebox'
import { endpoint, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'

const schemas = new Map<string, string>(
  Object.entries({ 'manifest.json': manifestSchema, 'provider.json': providerFileSchema }).map(([name, schema]) => [
    name,
    JSON.stringify(schema, null, 2),
  ]),
)

export const getSchema = endpoint({
  id: 'getSchema',
  method: 'GET',
  path: '//schemas/{schema}',
  access: 'public',
  summary: 'The JSON Schema of manifests (`manifest.json`) or of provider files (`provider.json`), for editors.',
  tag: 'Reference',
  extension: true,
  params: Path({ schema: Ref }),
  produces: 'application/schema+json',
  reply: { 200: Type.Unsafe<string>({ type: 'object', description: 'A JSON Schema.' }) },
  problems: [NotFound],
  run: async ({ params }) => {
    const schema = schemas.get(params.schema)
    if (schema === undefined)
      throw new NotFound({
        detail: 'There is no schema of that name.',
        remedy: `There are: ${[...schemas.keys()].join(', ')}.`,
      })
    return reply(200, schema)
  },
})
