import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** The parts of an OpenAPI document that exchanges are held against. */
export interface Document {
  paths: Record<string, Record<string, OperationObject>>
  webhooks: Record<string, { post: { requestBody: { content: Record<string, MediaType> } } }>
  components: { schemas: Record<string, AnySchema>; responses: Record<string, ResponseObject>; headers: object }
}
export interface OperationObject {
  operationId: string
  parameters: { $ref?: string; name: string; in: string; required?: boolean; schema: { type?: string } }[]
  requestBody?: { required?: boolean; content: Record<string, MediaType> }
  responses: Record<string, ResponseObject & { $ref?: string }>
}
export interface ResponseObject {
  description: string
  headers?: Record<string, unknown>
  content?: Record<string, MediaType>
  'x-mortise-problems'?: string[]
}
interface MediaType {
  schema: AnySchema & { type?: string }
  examples?: Record<string, { $ref?: string; value?: unknown }>
}

export interface SentRequest {
  params: Record<string, string>
  query: Record<string, string>
  body?: unknown
}
export interface ReceivedAnswer {
  status: number
  headers: Headers
  text: string
}

export interface Checker {
  /** What of a request the document does not allow. */
  requestFaults(id: string, request: SentRequest): string[]
  /** What of an answer the document does not tell, properties that no schema knows included. */
  answerFaults(id: string, answer: ReceivedAnswer): string[]
  operation(id: string): OperationObject
  /** Faults of the examples of an operation. */
  exampleFaults(id: string): string[]
  webhookFaults(): string[]
}

/** Holds exchanges against an OpenAPI document, as it was served. */
export function createChecker(document: Document): Checker {
  const open = compiler(document)
  const closed = compiler(closedCopy(document))
  const operations = new Map(
    Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map((operation) => [operation.operationId, operation]),
  )

  const operation = (id: string) => {
    const found = operations.get(id)
    if (!found) throw new Error(`${id} is not in the document`)
    return found
  }

  const answerOf = (id: string, status: number): ResponseObject | undefined => {
    const found = operation(id).responses[status]
    return found?.$ref ? document.components.responses[found.$ref.split('/').at(-1) ?? ''] : found
  }

  return {
    operation,
    requestFaults(id, { params, query, body }) {
      const { parameters, requestBody } = operation(id)
      const faults: string[] = []
      for (const [where, values] of Object.entries({ path: params, query })) {
        const declared = parameters.filter((parameter) => parameter.in === where)
        for (const { name, required, schema } of declared) {
          if (values[name] === undefined) {
            if (required) faults.push(`${where} ${name} is required`)
          } else
            faults.push(...open(schema, readText(schema.type, values[name])).map((text) => `${where} ${name} ${text}`))
        }
        const names = declared.map(({ name }) => name)
        if (where === 'query')
          faults.push(
            ...Object.keys(values).flatMap((name) => (names.includes(name) ? [] : [`query ${name} is unknown`])),
          )
      }
      const schema = requestBody?.content['application/json']?.schema
      if (body !== undefined && !schema) faults.push('a body is not declared')
      if (body === undefined && schema && requestBody?.required) faults.push('a body is required')
      if (body !== undefined && schema) faults.push(...open(schema, body).map((text) => `body ${text}`))
      return faults
    },
    answerFaults(id, { status, headers, text }) {
      const declared = answerOf(id, status)
      if (!declared) return [`status ${status} is not declared`]
      const faults = headerFaults(declared, headers, status)
      const type = headers.get('content-type')?.split(';')[0]
      const contents = Object.entries(declared.content ?? {})
      if (contents.length === 0) return text === '' ? faults : [...faults, 'a body is not declared']
      const media = contents.find(([name]) => name.split(';')[0] === type)?.[1]
      if (!media) return [...faults, `content type ${type} is not declared`]
      const value = type === 'text/event-stream' ? firstEvent(text) : /json$/.test(type ?? '') ? JSON.parse(text) : text
      const problems = declared['x-mortise-problems']
      if (problems && type === 'application/problem+json' && !problems.includes(value.context.code))
        faults.push(`problem ${value.context.code} is not declared`)
      return [...faults, ...closed(media.schema, value)]
    },
    exampleFaults(id) {
      const { requestBody, responses } = operation(id)
      const medias = [requestBody, ...Object.values(responses)].flatMap((part) => Object.entries(part?.content ?? {}))
      return medias.flatMap(mediaFaults)
    },
    webhookFaults() {
      return Object.values(document.webhooks).flatMap(({ post }) =>
        Object.entries(post.requestBody.content).flatMap(mediaFaults),
      )
    },
  }

  function mediaFaults([type, { schema, examples = {} }]: [string, MediaType]): string[] {
    if (type !== 'application/json') return []
    return Object.values(examples).flatMap(({ value }) => (value === undefined ? [] : closed(schema, value)))
  }

  function headerFaults({ headers = {} }: ResponseObject, sent: Headers, status: number): string[] {
    const told = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
    const known = Object.keys(document.components.headers).map((name) => name.toLowerCase())
    const untold = known
      .filter((name) => sent.has(name) && !told.has(name))
      .map((name) => `header ${name} is not declared`)
    const always = ['x-request-id', 'ratelimit', 'ratelimit-policy'].filter((name) => told.has(name) && status < 400)
    return [...untold, ...always.filter((name) => !sent.has(name)).map((name) => `header ${name} is missing`)]
  }
}

/** The data of the first event of a stream. */
function firstEvent(text: string): unknown {
  const data = /^data: ?(.*)$/m.exec(text)?.[1]
  return data === undefined ? undefined : JSON.parse(data)
}

function readText(type: string | undefined, text: string): unknown {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return type === 'integer' || type === 'number' ? Number(text) : text
}

/** Answers what is wrong with a value by a schema that stands somewhere in the document. */
function compiler(document: Document): (schema: AnySchema, value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  // ajv-formats is CommonJS: its default export sits one level deeper under Node's ES modules.
  ;(formats as unknown as { default: (ajv: Ajv2020) => Ajv2020 }).default(ajv)
  // Of files and texts of any kind.
  ajv.addFormat('binary', true)
  ajv.addSchema({ $id: 'openapi:/document', components: { schemas: document.components.schemas } })
  const compiled = new Map<string, ValidateFunction>()
  return (schema, value) => {
    const source = JSON.stringify(closedCopyOf(document, schema)).replaceAll(
      '"#/components',
      '"openapi:/document#/components',
    )
    const validate = compiled.get(source) ?? ajv.compile(JSON.parse(source))
    compiled.set(source, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
    )
  }
}

const closedDocuments = new WeakSet<object>()

function closedCopyOf(document: Document, schema: AnySchema): AnySchema {
  return closedDocuments.has(document) ? (close(schema) as AnySchema) : schema
}

/** The document with every object closed that does not say that it is open. */
function closedCopy(document: Document): Document {
  const copy = { ...document, components: close(document.components) as Document['components'] }
  closedDocuments.add(copy)
  return copy
}

function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      // Names of properties are no keywords.
      key === 'properties'
        ? Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, close(part)]))
        : close(value),
    ]),
  )
  const isOpen = !('type' in parts) || !('properties' in parts) || 'additionalProperties' in parts
  return isOpen ? parts : { ...parts, unevaluatedProperties: false }
}
