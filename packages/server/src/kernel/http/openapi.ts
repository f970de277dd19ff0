import { type TSchema, Type } from 'typebox'
import { isRaw, mayRepeat } from './add-endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { createHoist, type Hoist } from './openapi-hoist.ts'
import { createProblemAnswers, type ProblemAnswers, problemExamples } from './openapi-problems.ts'
import { headersOf, isTagged, refs, sharedHeaders, sharedParameters } from './openapi-shared.ts'
import { type WebhookDeclaration, webhookObject } from './openapi-webhooks.ts'
import { permissions, principals } from './permissions.ts'
import { pathParameters, publicPath } from './routes.ts'

/** Content of the document in addition to the declared endpoints. */
export interface Described {
  /** Description of each tag, in the order of the chapters. */
  tags?: Record<string, string>
  /** Descriptions of parameters and properties that mean the same everywhere, for those without a description. */
  words?: Record<string, string>
  /** Descriptions of named schemas that have none. */
  schemas?: Record<string, string>
  /** By operationId. */
  examples?: Record<string, EndpointExample>
  webhooks?: WebhookDeclaration[]
}

/** A request that an endpoint accepted, and its response. */
export interface EndpointExample {
  body?: unknown
  status: number
  answer?: unknown
}

const nothing: Described = {}

/** Returns the OpenAPI 3.1 document of the declared endpoints. */
export function openapiDocument(
  endpoints: Endpoint[],
  publicUrl: string,
  described: Described = nothing,
): Record<string, unknown> {
  const { hoist, schemas } = createHoist(described)
  const answers = createProblemAnswers(hoist)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { declaration } of endpoints) {
    const path = publicPath(declaration.path)
    const object = operationObject(declaration, hoist, answers, described)
    paths[path] = { ...paths[path], [declaration.method.toLowerCase()]: object }
  }
  const { webhooks = [] } = described
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mortise',
      version: '1.0.0',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: anyCredential,
    tags: tagObjects(endpoints, described),
    paths,
    ...(webhooks.length > 0 && {
      webhooks: Object.fromEntries(webhooks.map((webhook) => [webhook.name, webhookObject(webhook, hoist)])),
    }),
    components: {
      schemas,
      responses: answers.shared,
      examples: problemExamples(endpoints, publicUrl),
      parameters: sharedParameters,
      headers: sharedHeaders,
      securitySchemes: {
        APIKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key of the project.' },
        Bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'The token of a builder who has signed in, or a token for one consumer that your server signed with a key of the project. An API key works here too.',
        },
      },
    },
  }
}

const description = [
  'Integration management: deploy manifests, connect accounts, install, read and deliver.',
  'Every request but the public ones carries an API key (`X-Api-Key`) or a bearer token.',
  'Every answer that is not 2xx or 3xx is a problem (RFC 9457): `context.code` is its stable code, `remedy` says what to do.',
  'Unknown properties of bodies are ignored.',
].join(' ')

/** Returns the tags in the order of their descriptions, then those without a description. */
function tagObjects(endpoints: Endpoint[], { tags = {}, webhooks = [] }: Described): object[] {
  const used = new Set(endpoints.map(({ declaration }) => declaration.tag))
  for (const { tag } of webhooks) used.add(tag)
  const order = [...Object.keys(tags).filter((tag) => used.has(tag)), ...used]
  return [...new Set(order)].map((name) => ({ name, ...(tags[name] && { description: tags[name] }) }))
}

function operationObject(
  declaration: Endpoint['declaration'],
  hoist: Hoist,
  answers: ProblemAnswers,
  described: Described,
) {
  const { words = {} } = described
  const example = described.examples?.[declaration.id]
  const responses: Record<string, unknown> = {}
  for (const [status, schema] of Object.entries(declaration.reply)) {
    const isWhole = status === '200'
    responses[status] = {
      description: descriptionOf(schema) ?? 'Done.',
      headers: headersOf(declaration, isWhole),
      ...content(schema, declaration.produces, hoist, example?.status === Number(status) ? example.answer : undefined),
    }
  }
  if (isTagged(declaration))
    responses['304'] = { description: 'Still the same as what If-None-Match names.', headers: refs(['ETag']) }
  for (const [status, answer] of answers.of(declaration)) {
    const page = responses[status] as { content?: object } | undefined
    // Pages respond with HTML for some statuses too, and some endpoints report bad requests in plain text.
    if (page) responses[status] = { ...page, content: { ...page.content, ...answer.content } }
    else if (status === '400' && declaration.plainBadRequests) responses[status] = plainBadRequest(declaration, answer)
    else responses[status] = answer.reference
  }
  return {
    operationId: declaration.id,
    summary: declaration.summary,
    ...(declaration.description && { description: declaration.description }),
    tags: [declaration.tag],
    ...(declaration.extension && { 'x-mortise-extension': true }),
    ...securityOf(declaration.access),
    'x-mortise-callers': principals.filter((principal) => permissions[declaration.access][principal] === 'allow'),
    parameters: [
      ...parameters('path', declaration.params, hoist, words, pathParameters(declaration.path)),
      ...parameters('query', declaration.query, hoist, words),
      ...(mayRepeat(declaration) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(isTagged(declaration) ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
    ],
    ...(declaration.body && {
      requestBody: {
        required: !declaration.bodyOptional,
        content: { 'application/json': { schema: hoist(declaration.body), ...exampleOf(example?.body) } },
      },
    }),
    ...(isRaw(declaration.accepts) && {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    responses,
  }
}

function plainBadRequest(declaration: Endpoint['declaration'], { content }: { content: object }): object {
  const text = { schema: { type: 'string', description: 'What is wrong, one sentence a line.' } }
  return {
    description: 'What is wrong: in plain text, or as a problem where `Accept` prefers JSON.',
    headers: headersOf(declaration, false),
    content: { 'text/plain': text, ...content },
  }
}

const anyCredential = [{ APIKeyHeader: [] }, { Bearer: [] }]

/** Returns the security only where it differs from the default: no authentication, or only people may call. */
function securityOf(access: Endpoint['declaration']['access']): { security?: Record<string, string[]>[] } {
  const { none, frontendKey, fullKey } = permissions[access]
  if (none === 'allow') return { security: [] }
  return frontendKey === 'allow' || fullKey === 'allow' ? {} : { security: [{ Bearer: [] }] }
}

function content(schema: TSchema, produces: string | undefined, hoist: Hoist, example: unknown) {
  if (schema === undefined || (schema as unknown as { type?: string }).type === 'null') return {}
  return { content: { [produces ?? 'application/json']: { schema: hoist(schema), ...exampleOf(example) } } }
}

function exampleOf(value: unknown): { examples?: object } {
  return value === undefined ? {} : { examples: { example: { value } } }
}

function parameters(
  where: 'path' | 'query',
  schema: TSchema | undefined,
  hoist: Hoist,
  words: Record<string, string>,
  order?: string[],
) {
  const object = (schema ?? Type.Object({})) as unknown as {
    properties: Record<string, { description?: string }>
    required?: string[]
  }
  return (order ?? Object.keys(object.properties)).map((name) => {
    const property = (object.properties[name] ?? Type.String()) as { description?: string }
    return {
      name,
      in: where,
      // A parameter with a default is optional.
      required: where === 'path' || ((object.required ?? []).includes(name) && !('default' in property)),
      ...((property.description ?? words[name]) && { description: property.description ?? words[name] }),
      schema: hoist(property),
    }
  })
}

function descriptionOf(schema: TSchema | undefined): string | undefined {
  return (schema as unknown as { description?: string } | undefined)?.description
}
