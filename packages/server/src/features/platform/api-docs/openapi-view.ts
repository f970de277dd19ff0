/** The OpenAPI document as the pages read it. */
export interface OpenApiView {
  servers: { url: string }[]
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, OperationView>>
  webhooks?: Record<string, { post: OperationView }>
  components: {
    schemas: Record<string, SchemaView>
    responses: Record<string, ResponseView>
    parameters: Record<string, ParameterView>
    examples: Record<string, { summary: string; value: { status: number; detail: string; remedy?: string } }>
  }
}

export interface OperationView {
  operationId?: string
  summary: string
  description?: string
  tags: string[]
  security?: Record<string, unknown>[]
  parameters: (ParameterView & { $ref?: string })[]
  requestBody?: { required: boolean; content: Record<string, MediaView> }
  responses: Record<string, ResponseView & { $ref?: string }>
  'x-mortise-extension'?: boolean
  'x-mortise-callers'?: string[]
}

export interface ParameterView {
  name: string
  in: string
  required: boolean
  description?: string
  schema: SchemaView
}

export interface ResponseView {
  description: string
  content?: Record<string, MediaView>
  'x-mortise-problems'?: string[]
}

export interface MediaView {
  schema: SchemaView
  examples?: Record<string, { value?: unknown }>
}

export interface SchemaView {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, SchemaView>
  required?: string[]
  items?: SchemaView
  additionalProperties?: SchemaView | boolean
  anyOf?: SchemaView[]
  oneOf?: SchemaView[]
  allOf?: SchemaView[]
  enum?: unknown[]
  const?: unknown
  format?: string
  default?: unknown
  deprecated?: boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/** An operation, or a webhook, with its place. */
export interface Entry {
  /** Unique; the anchor on its page. */
  id: string
  method: string
  /** Empty for a webhook: it is the receiver's. */
  path: string
  operation: OperationView
}

export interface Chapter {
  name: string
  /** Name of its page. */
  slug: string
  description: string
  entries: Entry[]
}

/**
 * The operations by chapter, in the order of the document's tags. Pages and callbacks that only browsers open are left
 * out: nobody writes a request to them.
 */
export function chaptersOf(view: OpenApiView): Chapter[] {
  const entries: Entry[] = [
    ...Object.entries(view.paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          id: operation.operationId ?? '',
          method: method.toUpperCase(),
          path,
          operation,
        })),
      )
      .filter(({ operation }) => !isForBrowsers(operation)),
    ...Object.entries(view.webhooks ?? {}).map(([name, { post }]) => ({
      id: name,
      method: 'POST',
      path: '',
      operation: post,
    })),
  ]
  return view.tags.map(({ name, description = '' }) => ({
    name,
    slug: slugOf(name),
    description,
    entries: entries.filter(({ operation }) => operation.tags[0] === name),
  }))
}

/** Tells endpoints whose every success is a page, its script or a redirect. */
export function isForBrowsers({ responses }: OperationView): boolean {
  const successes = Object.entries(responses).filter(([status]) => /^[23]/.test(status))
  return successes.every(
    ([status, { content = {} }]) =>
      status.startsWith('3') || Object.keys(content).some((type) => /^text\/(html|javascript)/.test(type)),
  )
}

export function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

/** Name of the schema that a reference leads to. */
export function referredName(schema: SchemaView): string | undefined {
  return schema.$ref?.split('/').at(-1)
}

/** An answer, with what it refers to in its place. */
export function resolvedAnswer(view: OpenApiView, answer: ResponseView & { $ref?: string }): ResponseView {
  return view.components.responses[answer.$ref?.split('/').at(-1) ?? ''] ?? answer
}

/** A parameter, with what it refers to in its place. */
export function resolvedParameter(view: OpenApiView, parameter: ParameterView & { $ref?: string }): ParameterView {
  return view.components.parameters[parameter.$ref?.split('/').at(-1) ?? ''] ?? parameter
}
