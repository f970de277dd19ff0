import { type Json, listOf, objectOf, textOf } from './json-values.ts'
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
  /** Names of the headers of that response, in lower case. */
  answerHeaders: Set<string>
  /** Schema of the body to send, and its format; `other` is a format that Mortise does not send. */
  body?: { schema: unknown; encoding: 'json' | 'form' | 'other' }
  /** It has its own servers: the base URL is not that of the document. */
  elsewhere: boolean
}

const methods = ['get', 'post', 'put', 'patch', 'delete']
/** Paths of one document; the largest public ones have about a thousand. */
const pathsMax = 5000

/** Returns the operations of an OpenAPI document, in its order. */
export function operationsOf(document: Json, references: References): Operation[] {
  return Object.entries(objectOf(document['paths']))
    .slice(0, pathsMax)
    .flatMap(([path, node]) => {
      if (!/^\/[\w\-.~:@!$&'()*+,;=%/{}]*$/.test(path) || path.includes('{{') || path.includes('}}')) return []
      const item = references.resolve(node)
      return methods
        .filter((method) => item[method] !== undefined)
        .map((method) => operationOf(method, path, item, references))
    })
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
    ...jsonOf(answer),
  }
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
  return status === undefined ? {} : references.resolve(responses[status])
}

function jsonOf(answer: Json): Pick<Operation, 'answer'> {
  const media = Object.entries(objectOf(answer['content'])).find(([type]) => isJsonType(type))?.[1]
  const schema = objectOf(media)['schema']
  return schema === undefined ? {} : { answer: schema }
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
