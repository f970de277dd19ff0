import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../db/index.ts'
import type { Logger } from '../telemetry/index.ts'
import { type Authenticate, apiKeyOf, type Identity } from './authenticate.ts'
import { cappedBody } from './binary-body.ts'
import type { Operation } from './operation.ts'
import type { Issue } from './problem.ts'
import { Forbidden, InvalidInput, NotFound, Unauthenticated } from './problems.ts'
import { readJson } from './read-json.ts'
import { publicPath, routerPath } from './routes.ts'
import { type PartValidator, partValidator } from './validate.ts'

/** What operations run on. */
export interface OperationHost<S> {
  services: S
  authenticate: Authenticate
  database: Pick<Database, 'forProject'>
}

export const bodyBytesDefault = 10 * 1024 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    identity?: Identity
  }
  interface FastifyContextConfig {
    operationId?: string
  }
}

/** Registers one declared operation. The order is fixed: authenticate, validate, authorise, run. */
export function addOperation<S>(app: FastifyInstance, operation: Operation<S>, host: OperationHost<S>): void {
  const { declaration } = operation
  const bodyBytesMax = declaration.bodyBytesMax ?? bodyBytesDefault
  const readInput = inputReader(declaration, bodyBytesMax)

  const register = (instance: FastifyInstance) =>
    instance.route({
      method: declaration.method,
      url: routerPath(publicPath(declaration.path)),
      bodyLimit: bodyBytesMax,
      config: { operationId: declaration.id },
      ...(!declaration.produces && { schema: { response: jsonReplies(declaration.reply) } }),
      onRequest: async (request) => {
        if (declaration.access === 'public') return
        const apiKey = apiKeyOf(request.headers)
        const identity = apiKey === undefined ? undefined : await host.authenticate(apiKey)
        if (!identity) throw new Unauthenticated()
        request.identity = identity
      },
      handler: async (request, reply) => {
        const body = readInput(request)
        const { identity } = request
        authorise(declaration.access, request.params as Record<string, string>, identity)
        const result = await operation.run(
          {
            params: request.params as never,
            query: request.query as never,
            body: body as never,
            headers: request.headers,
            url: request.raw.url ?? '',
            requestId: request.id,
            log: request.log as Logger,
            signal: abortSignal(reply),
            ...(identity && { ...identity, db: host.database.forProject(identity.project.id) }),
          },
          host.services,
        )
        if (result.headers) reply.headers(result.headers)
        reply.code(result.status)
        if (declaration.produces) reply.type(declaration.produces)
        return reply.send(result.body === null ? undefined : (result.body as string | Buffer | Readable | object))
      },
    })

  if (declaration.accepts !== 'binary') register(app)
  else {
    // Only in this scope: the body is handed over as it arrives, whatever its media type.
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
      register(scope)
    })
  }
}

/** Checks all parts of a request together, so that one answer tells everything that is wrong. Answers the body. */
function inputReader(
  declaration: Operation['declaration'],
  bodyBytesMax: number,
): (request: FastifyRequest) => unknown {
  const parts: ['params' | 'query', PartValidator][] = []
  if (declaration.params) parts.push(['params', partValidator('path', declaration.params)])
  if (declaration.query) parts.push(['query', partValidator('query', declaration.query)])
  const validateBody = declaration.body && partValidator('body', declaration.body)
  return (request) => {
    const issues = parts.flatMap(([key, validate]) => validate(request[key]))
    let body: unknown
    if (declaration.accepts === 'binary') {
      const announced = Number(request.headers['content-length'] ?? 0)
      if (issues.length === 0) body = cappedBody(request.body as Readable | undefined, announced, bodyBytesMax)
    } else if (validateBody) {
      const bytes = request.body as Buffer | undefined
      if (bytes !== undefined && bytes.length > 0) {
        body = readJson(bytes, issues)
        if (body !== undefined) issues.push(...validateBody(body))
      } else if (!declaration.bodyOptional) issues.push(bodyMissing)
    }
    if (issues.length > 0) throw new InvalidInput({ issues })
    return body
  }
}

const bodyMissing: Issue = {
  in: 'body',
  name: 'body',
  detail: 'A body is required.',
  remedy: 'Send a JSON document, with the header Content-Type: application/json.',
}

/** A wrong scope is refused; another project's name or id looks exactly like a missing one. */
function authorise(access: string, params: Record<string, string>, identity: Identity | undefined): void {
  if (!identity) return
  if (access === 'full' && identity.caller.scope !== 'full') throw new Forbidden()
  const wanted = params['projectIdOrName']?.toLowerCase()
  if (wanted === undefined) return
  if (wanted !== identity.project.id && wanted !== identity.project.name.toLowerCase()) {
    throw new NotFound({ detail: 'There is no such project.' })
  }
}

function jsonReplies(replies: Operation['declaration']['reply']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(replies).filter(([, schema]) => (schema as unknown as { type?: string }).type !== 'null'),
  )
}

/** Ends when the connection closes before the answer has been sent whole. */
function abortSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const { raw } = reply
  const abort = () => {
    if (!raw.writableFinished) controller.abort(new Error('the client went away'))
  }
  if (raw.destroyed) abort()
  else raw.once('close', abort)
  return controller.signal
}
