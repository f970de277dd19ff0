import type { FastifyInstance } from 'fastify'
import { type EndpointHost, type FrameworkHandler, hooksOf, jsonReplies } from './add-endpoint.ts'
import { bodyLimitOf } from './body-limits.ts'
import type { Endpoint, Method } from './endpoint.ts'
import type { Issue } from './problem.ts'
import { InvalidInput } from './problems.ts'
import { readJson } from './read-json.ts'
import { publicPath, routerPath } from './routes.ts'

/**
 * One path of two endpoints that have separate hosts, for requests that name neither host nor prefix. The body decides
 * which endpoint runs. The OpenAPI document lists the endpoints only under their own paths.
 */
export interface SharedPath {
  method: Method
  path: string
  /** Ids of the endpoints; all have the same parameters and the same row of the table of permissions. */
  endpoints: string[]
  /** Returns the id of the endpoint that the body selects, or the errors when it selects none. */
  choose: (body: unknown) => string | Issue[]
}

export function addSharedPath<S>(
  app: FastifyInstance,
  { method, path, endpoints, choose }: SharedPath,
  known: Map<string, { endpoint: Endpoint<S>; handler: FrameworkHandler }>,
  host: EndpointHost<S>,
): void {
  const chosen = endpoints.map((id) => {
    const found = known.get(id)
    if (!found) throw new Error(`The path ${path} leads to ${id}, which is not declared.`)
    return found.endpoint.declaration
  })
  const [first] = chosen
  if (!first) throw new Error(`The path ${path} leads to no endpoint.`)
  app.route({
    method,
    url: routerPath(publicPath(path)),
    bodyLimit: Math.max(...chosen.map(bodyLimitOf)),
    config: { operationId: endpoints.join('|'), cors: false },
    schema: { response: Object.assign({}, ...chosen.map(({ reply }) => jsonReplies(reply))) },
    ...hooksOf(first, host),
    handler: async (request, reply) => {
      const issues: Issue[] = []
      const bytes = request.body as Buffer | undefined
      const choice = choose(bytes === undefined || bytes.length === 0 ? undefined : readJson(bytes, issues))
      if (typeof choice !== 'string') throw new InvalidInput({ issues: issues.length > 0 ? issues : choice })
      return await known.get(choice)?.handler(request, reply)
    },
  })
}
