import { useQuery } from '@tanstack/react-query'

/** The OpenAPI document of the service, as far as requests are made from it. */
interface Document {
  tags: { name: string }[]
  paths: Record<string, Record<string, RawOperation>>
  components: { parameters: Record<string, Parameter> }
}

interface RawOperation {
  operationId?: string
  summary: string
  description?: string
  tags: string[]
  parameters?: (Parameter & { $ref?: string })[]
  requestBody?: { required?: boolean; content: Record<string, { examples?: Record<string, { value?: unknown }> }> }
  responses: Record<string, { content?: Record<string, unknown> }>
  'x-mortise-callers'?: string[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: { type?: string | string[]; enum?: unknown[]; default?: unknown }
}

export interface Operation {
  id: string
  method: string
  path: string
  tag: string
  summary: string
  description: string | undefined
  parameters: Parameter[]
  body: { type: string; isRequired: boolean; example: string } | undefined
  /** Who may call it; undefined for everyone. */
  callers: string[] | undefined
}

export function useOperations() {
  return useQuery({
    queryKey: ['openapi'],
    queryFn: async ({ signal }) => {
      const answer = await fetch('/v1/openapi.json', { signal })
      if (!answer.ok) throw new Error(`The service answered ${answer.status} to the request for its API document.`)
      return operationsOf((await answer.json()) as Document)
    },
    // It changes only with the service.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

function operationsOf({ tags, paths, components }: Document): Operation[] {
  const order = new Map(tags.map(({ name }, index) => [name, index]))
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.operationId !== undefined && !isForBrowsers(operation))
        .map(([method, operation]) => operationOf(path, method, operation, components.parameters)),
    )
    .toSorted((one, other) => (order.get(one.tag) ?? 0) - (order.get(other.tag) ?? 0))
}

function operationOf(
  path: string,
  method: string,
  operation: RawOperation,
  known: Record<string, Parameter>,
): Operation {
  const parameters = (operation.parameters ?? [])
    .map((one) => known[one.$ref?.split('/').at(-1) ?? ''] ?? one)
    // Answers 304 without a body, which shows nothing.
    .filter(({ name }) => name !== 'If-None-Match')
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const example = Object.values(media?.examples ?? {})[0]?.value
  return {
    id: operation.operationId ?? '',
    method: method.toUpperCase(),
    path,
    tag: operation.tags[0] ?? '',
    summary: operation.summary,
    description: operation.description,
    parameters,
    body: type === undefined ? undefined : bodyOf(type, operation.requestBody?.required ?? false, example),
    callers: operation['x-mortise-callers'],
  }
}

function bodyOf(type: string, isRequired: boolean, example: unknown) {
  const text = typeof example === 'string' ? example : example === undefined ? '' : JSON.stringify(example, null, 2)
  return { type, isRequired, example: text }
}

/** Pages and callbacks that only browsers open. */
function isForBrowsers({ responses }: RawOperation): boolean {
  const successes = Object.entries(responses).filter(([status]) => /^[23]/.test(status))
  return successes.every(
    ([status, { content = {} }]) =>
      status.startsWith('3') || Object.keys(content).some((type) => /^text\/(html|javascript)/.test(type)),
  )
}
