import { inferSchema } from './infer-schema.ts'
import { type Json, listOf, objectOf, plainText, shorten, textOf } from './json-values.ts'
import type { References, Shape } from './schemas.ts'

/** A query parameter or header of an operation. */
export interface Parameter {
  name: string
  required: boolean
  schema: Json
  shape: Shape
  description: string
}

/** One request of an API, as its document describes it. */
export interface Operation {
  method: string
  /** As in the document, with `{parameters}`. */
  path: string
  query: Parameter[]
  headers: Parameter[]
  /** Body of the first 2xx response in JSON; absent if there is none. */
  answer?: unknown
  /** Schema of the first error response in JSON. */
  refusal?: unknown
  /** The document says nothing about a response that may be JSON. */
  isSilent: boolean
  /** Names of the headers of that response, in lower case. */
  answerHeaders: Set<string>
  /** Schema of the body to send, and its format; `other` is a format that Mortise does not send. */
  body?: { schema: unknown; encoding: 'json' | 'form' | 'other' }
  /** The parameters of a list are in its body, not in the query. */
  inBody?: true
  /** It has its own servers: the base URL is not that of the document. */
  elsewhere: boolean
}

const methods = ['get', 'post', 'put', 'patch', 'delete']
/** Paths of one document; the largest public ones have about a thousand. */
const pathsMax = 5000

/** Returns the operations of an OpenAPI document, in its order, and what was not read. */
export function operationsOf(document: Json, references: References): { operations: Operation[]; unknown: string[] } {
  const paths = Object.entries(objectOf(document['paths']))
  const isRead = ([path]: [string, unknown]) =>
    /^\/[\w\-.~:@!$&'()*+,;=%/{}]*$/.test(path) && !path.includes('{{') && !path.includes('}}')
  const odd = paths.filter((each) => !isRead(each)).map(([path]) => plainText(path, 60))
  const operations = paths
    .filter(isRead)
    .slice(0, pathsMax)
    .flatMap(([path, node]) => {
      const item = references.resolve(node)
      return methods
        .filter((method) => item[method] !== undefined)
        .map((method) => operationOf(method, path, item, references))
    })
  const more = paths.length - odd.length - pathsMax
  const silent = operations.filter(({ method, path, isSilent }) => method === 'GET' && isSilent && !path.endsWith('}'))
  return {
    operations,
    unknown: [
      ...(paths.length === 0 ? ['the document has no paths'] : []),
      ...(odd.length > 0 ? [`not read: paths that are not valid: ${shorten(odd)}`] : []),
      ...(more > 0 ? [`not read: the last ${more} paths`] : []),
      ...(silent.length > 0
        ? [`the JSON response is not described, so no list was looked for: ${shorten(silent.map(({ path }) => path))}`]
        : []),
    ],
  }
}

function operationOf(method: string, path: string, item: Json, references: References): Operation {
  const declared = references.resolve(item[method])
  const parameters = new Map<string, Json>()
  for (const node of [...listOf(item['parameters']), ...listOf(declared['parameters'])].slice(0, 300)) {
    const parameter = references.resolve(node)
    parameters.set(`${String(parameter['in'])} ${String(parameter['name'])}`, parameter)
  }
  const within = (where: string) =>
    [...parameters.values()].flatMap((parameter) =>
      parameter['in'] === where ? parameterOf(parameter, references) : [],
    )
  const answer = answerOf(declared, references)
  const body = bodyOf(references.resolve(declared['requestBody']))
  return {
    method: method.toUpperCase(),
    path,
    query: within('query'),
    headers: within('header'),
    answerHeaders: new Set(Object.keys(objectOf(answer['headers'])).map((name) => name.toLowerCase())),
    elsewhere: listOf(declared['servers'] ?? item['servers']).length > 0,
    ...(body !== undefined && { body }),
    ...jsonOf(answer, references),
    isSilent: isSilent(answer, references),
    refusal: refusalOf(declared, references),
  }
}

function refusalOf(operation: Json, references: References): unknown {
  const responses = Object.entries(objectOf(operation['responses']))
  const hasSuccess = responses.some(([status]) => status.startsWith('2'))
  const isRefusal = (status: string) => /^4(\d\d|XX)$/i.test(status) || (hasSuccess && status === 'default')
  const refusals = responses.filter(([status]) => isRefusal(status)).map(([, node]) => node)
  return refusals
    .map((node) => jsonOf(references.resolve(node), references).answer)
    .find((schema) => schema !== undefined)
}

function isSilent({ content, status }: Json, references: References): boolean {
  const types = Object.entries(objectOf(content))
  if (types.length === 0) return status !== '204'
  const [, media] = types.find(([type]) => isJsonType(type)) ?? []
  const { type, properties } = references.shape(objectOf(media)['schema'])
  return media !== undefined && (type === undefined || type === 'object') && properties.size === 0
}

function parameterOf(parameter: Json, references: References): Parameter[] {
  const name = textOf(parameter['name'])
  if (name === undefined || name.length > 200) return []
  const schema = references.resolve(parameter['schema'])
  return [
    {
      name,
      required: parameter['required'] === true,
      schema,
      shape: references.shape(schema),
      description: textOf(parameter['description']) ?? textOf(schema['description']) ?? '',
    },
  ]
}

function answerOf(operation: Json, references: References): Json {
  const responses = objectOf(operation['responses'])
  const status = ['200', '201', '202', '203', '204', '206', '2XX', '2xx', 'default'].find(
    (key) => responses[key] !== undefined,
  )
  return status === undefined ? {} : { ...references.resolve(responses[status]), status }
}

function jsonOf(answer: Json, references: References): Pick<Operation, 'answer'> {
  const media = objectOf(Object.entries(objectOf(answer['content'])).find(([type]) => isJsonType(type))?.[1])
  const shape = references.shape(media['schema'])
  if (shape.type !== undefined && shape.type !== 'object') return { answer: media['schema'] }
  if (shape.properties.size > 0) return { answer: media['schema'] }
  // Without a schema, the example shows the names.
  const [first] = Object.values(objectOf(media['examples']))
  const example = media['example'] ?? references.resolve(first)['value']
  if (typeof example === 'object' && example !== null) return { answer: inferSchema([example]) }
  return media['schema'] === undefined ? {} : { answer: media['schema'] }
}

function bodyOf(body: Json): Operation['body'] {
  const content = Object.entries(objectOf(body['content']))
  const json = content.find(([type]) => isJsonType(type))
  if (json !== undefined) return { schema: objectOf(json[1])['schema'], encoding: 'json' }
  const form = content.find(([type]) => type.startsWith('application/x-www-form-urlencoded'))
  if (form !== undefined) return { schema: objectOf(form[1])['schema'], encoding: 'form' }
  return content.length === 0 ? undefined : { schema: undefined, encoding: 'other' }
}

function isJsonType(type: string): boolean {
  return /^(application\/(json|[\w.-]+\+json)|\*\/\*)/i.test(type)
}
