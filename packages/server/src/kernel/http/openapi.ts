import { type TSchema, Type } from 'typebox'
import type { Operation } from './operation.ts'
import { problemSchema } from './problem-schema.ts'
import { pathParameters, publicPath } from './routes.ts'
import { nameOf } from './schema.ts'

/** The OpenAPI 3.1 document of the declared operations. */
export function openapiDocument(operations: Operation[], publicUrl: string): Record<string, unknown> {
  const schemas: Record<string, unknown> = {}
  const sources = new Map<string, string>()
  const hoist = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(hoist)
    if (typeof schema !== 'object' || schema === null) return schema
    const name = nameOf(schema)
    if (name === undefined) return mapValues(schema, hoist)
    const source = JSON.stringify(schema)
    if (sources.has(name) && sources.get(name) !== source) throw new Error(`Two schemas have the name ${name}.`)
    if (!sources.has(name)) {
      sources.set(name, source)
      schemas[name] = {}
      schemas[name] = mapValues(schema, hoist)
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { declaration } of operations) {
    const path = publicPath(declaration.path)
    paths[path] = { ...paths[path], [declaration.method.toLowerCase()]: operationObject(declaration, hoist) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mortise',
      version: '1.0.0',
      description: 'Integration management: deploy manifests, connect accounts, install, read and deliver.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ APIKeyHeader: [] }, { Bearer: [] }],
    tags: [...new Set(operations.map(({ declaration }) => declaration.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        APIKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key of the project.' },
        Bearer: { type: 'http', scheme: 'bearer', description: 'An API key of the project as a bearer token.' },
      },
    },
  }
}

function operationObject(
  declaration: Operation['declaration'],
  hoist: (schema: unknown) => unknown,
): Record<string, unknown> {
  const responses: Record<string, unknown> = {}
  for (const [status, schema] of Object.entries(declaration.reply)) {
    responses[status] = {
      description: descriptionOf(schema) ?? 'Done.',
      ...content(schema, declaration.produces, hoist),
    }
  }
  for (const [status, codes] of problemsByStatus(declaration)) {
    responses[status] = {
      description: `Problem: ${codes.join(', ')}.`,
      content: { 'application/problem+json': { schema: hoist(problemSchema) } },
    }
  }
  responses['default'] = {
    description: 'Any other problem.',
    content: { 'application/problem+json': { schema: hoist(problemSchema) } },
  }
  return {
    operationId: declaration.id,
    summary: declaration.summary,
    ...(declaration.description && { description: declaration.description }),
    tags: [declaration.tag],
    ...(declaration.extension && { 'x-mortise-extension': true }),
    ...(declaration.access === 'public' && { security: [] }),
    parameters: [
      ...parameters('path', declaration.params, hoist, pathParameters(declaration.path)),
      ...parameters('query', declaration.query, hoist),
    ],
    ...(declaration.body && {
      requestBody: {
        required: !declaration.bodyOptional,
        content: { 'application/json': { schema: hoist(declaration.body) } },
      },
    }),
    ...(declaration.accepts === 'binary' && {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    responses,
  }
}

function content(schema: TSchema, produces: string | undefined, hoist: (schema: unknown) => unknown) {
  if (schema === undefined || (schema as unknown as { type?: string }).type === 'null') return {}
  return { content: { [produces ?? 'application/json']: { schema: hoist(schema) } } }
}

function parameters(
  where: 'path' | 'query',
  schema: TSchema | undefined,
  hoist: (schema: unknown) => unknown,
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
      required: where === 'path' || (object.required ?? []).includes(name),
      ...(property.description && { description: property.description }),
      schema: hoist(property),
    }
  })
}

function problemsByStatus(declaration: Operation['declaration']): [string, string[]][] {
  const byStatus = new Map<string, string[]>()
  for (const { declaration: problem } of declaration.problems ?? []) {
    const codes = byStatus.get(String(problem.status)) ?? []
    byStatus.set(String(problem.status), [...codes, problem.code])
  }
  return [...byStatus]
}

function descriptionOf(schema: TSchema | undefined): string | undefined {
  return (schema as unknown as { description?: string } | undefined)?.description
}

function mapValues(object: object, map: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}
