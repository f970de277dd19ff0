import { type Described, type Endpoint, type EndpointExample, openapiDocument } from '../../../kernel/http/index.ts'
import examples from './examples.generated.json' with { type: 'json' }
import { parts, resources } from './resources.ts'
import { tags } from './tags.ts'
import { notificationTexts, webhooks } from './webhooks.ts'
import { words } from './words.ts'

const described: Described = {
  tags,
  words,
  schemas: {
    ...parts,
    ...notificationTexts,
    ...Object.fromEntries(Object.entries(resources).map(([name, { is }]) => [name, is])),
  },
  examples: examples as Record<string, EndpointExample>,
  webhooks,
}

/** Builds the whole OpenAPI document from the declarations of the endpoints and their descriptions. */
export function referenceDocument(endpoints: readonly Endpoint[], publicUrl: string): Record<string, unknown> {
  return openapiDocument([...endpoints], publicUrl, described)
}
