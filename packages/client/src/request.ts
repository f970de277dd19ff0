import { createFinalURL, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch'
import type { CallOptions } from './operation-types.ts'

/** An input whose operation is not known statically. */
export interface AnyInput {
  query?: Record<string, unknown>
  body?: unknown
  [pathParameter: string]: unknown
}

/** Method and path of each operation. */
export type OperationTable<Id extends string> = Readonly<Record<Id, readonly [method: string, path: string]>>

/** Makes the requests of a service. */
export function createRequest<Id extends string>(
  service: { baseUrl: string; project?: string; headers?: Record<string, string> },
  table: OperationTable<Id>,
) {
  const baseUrl = service.baseUrl.replace(/(?<!\/)\/+$/, '')
  return (id: Id, { query, body, ...given }: AnyInput, options: CallOptions): Request => {
    const [method, template] = table[id]
    const path: Record<string, unknown> = { projectIdOrName: service.project, ...given }
    for (const [, name] of template.matchAll(/\{(\w+)\}/g))
      if (name !== undefined && (path[name] === undefined || path[name] === ''))
        throw new TypeError(
          name === 'projectIdOrName'
            ? `${id} works in a project: give the client its \`project\`, or the call its \`projectIdOrName\`.`
            : `${id} needs \`${name}\`.`,
        )
    const url = createFinalURL(template, {
      baseUrl,
      params: { path, ...(query && { query }) },
      querySerializer: createQuerySerializer(),
      pathSerializer: defaultPathSerializer,
    })
    const headers = new Headers({ ...service.headers, ...options.headers })
    if (!headers.has('x-mortise-client')) headers.set('x-mortise-client', 'mortise-js')
    // What makes it safe to send it again when its answer was lost.
    if (method === 'POST' || method === 'PATCH')
      headers.set('idempotency-key', options.idempotencyKey ?? crypto.randomUUID())
    if (body !== undefined) headers.set('content-type', 'application/json')
    return new Request(url, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(options.signal && { signal: options.signal }),
    })
  }
}
