import type { FastifyInstance } from 'fastify'
import { type EndpointHost, type Handler, hooksOf, jsonReplies } from './add-endpoint.ts'
import { bodyLimitOf } from './body-limits.ts'
import type { Endpoint, Method } from './endpoint.ts'
import type { Issue } from './problem.ts'
import { InvalidInput } from './problems.ts'
import { readJson } from './read-json.ts'
import { publicPath, routerPath } from './routes.ts'

/**
 * One path that two endpoints have on hosts of their own, for requests that name neither host nor prefix: the body
 * tells which is meant. Not in the OpenAPI document; the endpoints stand there under their own paths.
 */
export interface SharedPath {
  method: Method
  path: string
  /** The endpoints, by id; all of them have the same parameters and the same row of the table of permissions. */
  endpoints: string[]
  /** The id of the one that a body means, or what is wrong when it tells none. */
  choose: (body: unknown) => string | Issue[]
}

export function addSharedPath<S>(
  app: FastifyInstance,
  { method, path, endpoints, choose }: SharedPath,
  known: Map<string, { endpoint: Endpoint<S>; handler: Handler }>,
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
