import { type Entry, type OpenApiView, resolvedParameter } from '../../openapi-view.ts'

/** One request of an endpoint, from which the samples of all languages are written. Placeholders are in capitals. */
export interface SampleRequest {
  id: string
  method: string
  origin: string
  /** The path with placeholders; `default` is the project. */
  path: string
  /** Required parameters only. */
  query: [name: string, value: SampleValue][]
  pathParameters: [name: string, value: string][]
  credential: 'apiKey' | 'token' | 'none'
  contentType: string | undefined
  /** Undefined without an example. */
  body: unknown
  streamsEvents: boolean
}

type SampleValue = string | number | boolean

/** Builds the request from the declaration and its recorded example. */
export function sampleRequest(view: OpenApiView, { id, method, path, operation }: Entry): SampleRequest {
  const parameters = operation.parameters.map((parameter) => resolvedParameter(view, parameter))
  const [contentType, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const { security } = operation
  return {
    id,
    method,
    origin: view.servers[0]?.url ?? '',
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => pathValue(name)),
    query: parameters
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name, schema }) => [name, queryValue(name, schema)]),
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, pathValue(name)]),
    credential: security === undefined ? 'apiKey' : security.length === 0 ? 'none' : 'token',
    contentType,
    body: Object.values(media?.examples ?? {})[0]?.value,
    streamsEvents: Object.values(operation.responses).some(({ content = {} }) => 'text/event-stream' in content),
  }
}

/** Writes the address with its query. */
export function sampleUrl({ origin, path, query }: SampleRequest): string {
  const pairs = query.map(([name, value]) => `${name}=${value}`)
  return `${origin}${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`
}

function pathValue(name: string): string {
  return name === 'projectIdOrName' ? 'default' : placeholder(name)
}

function queryValue(
  name: string,
  schema: { type?: string | string[]; enum?: unknown[]; const?: unknown },
): SampleValue {
  const [first = schema.const] = schema.enum ?? []
  if (typeof first === 'string' || typeof first === 'number') return first
  if (schema.type === 'boolean') return true
  return schema.type === 'integer' || schema.type === 'number' ? 1 : placeholder(name)
}

function placeholder(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .replace(/^_/, '')
    .toUpperCase()
}
