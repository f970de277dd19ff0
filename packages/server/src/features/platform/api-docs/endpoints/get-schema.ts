import { manifestSchema } from '@mortise/manifest'
import { providerFileSchema } from '@mortise/providers'
import { Type } from 'typebox'
import { endpoint, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'

/** Their texts are built for each response: together they take 8 MB, and few people ever ask for them. */
const schemas = new Map<string, () => object>([
  ['manifest.json', () => manifestSchema],
  ['provider.json', providerFileSchema],
])

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
    return reply(200, JSON.stringify(schema(), null, 2))
  },
})
