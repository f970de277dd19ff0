import type { Readable } from 'node:stream'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Database } from '../db/index.ts'
import type { Logger, Metrics } from '../telemetry/index.ts'
import { type Authenticate, apiKeyOf, type Identity } from './authenticate.ts'
import { asProblem } from './map-error.ts'
import { openapiDocument } from './openapi.ts'
import type { Operation } from './operation.ts'
import type { Issue } from './problem.ts'
import { type ProblemSettings, problemDocument } from './problem-document.ts'
import { Forbidden, InvalidInput, NoSuchRoute, NotFound, Unauthenticated } from './problems.ts'
import { publicPath, routerPath } from './routes.ts'
import { hostileInput, type Part, type PartValidator, partValidator } from './validate.ts'

export interface HttpServerOptions<S> {
  operations: Operation<S>[]
  services: S
  authenticate: Authenticate
  database: Pick<Database, 'forProject'>
  log: Logger
  metrics: Metrics
  problems: ProblemSettings
  now: () => Date
  newId: () => string
  /** Addresses of proxies whose X-Forwarded-* headers are believed. */
  trustedProxies: string[]
}

const bodyBytesDefault = 10 * 1024 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    identity?: Identity
  }
}

/** The HTTP server: every declared operation, problems, request ids, the OpenAPI document. It does not listen yet. */
export function createHttpServer<S>(options: HttpServerOptions<S>): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    disableRequestLogging: true,
    genReqId: () => options.newId(),
    bodyLimit: bodyBytesDefault,
    requestTimeout: 60_000,
    keepAliveTimeout: 5_000,
    http: { headersTimeout: 10_000, maxHeaderSize: 16 * 1024 },
    routerOptions: { maxParamLength: 2_000 },
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply),
  })

  function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = asProblem(error)
    if (problem.declaration.status >= 500)
      request.log.error({ requestId: request.id, err: error }, problem.declaration.title)
    else
      request.log.debug({ requestId: request.id, code: problem.declaration.code, err: problem.cause }, problem.message)
    const retryAfter = problem.occurrence.retryAfter
    if (retryAfter)
      reply.header('retry-after', Math.max(0, Math.ceil((retryAfter.getTime() - options.now().getTime()) / 1000)))
    const document = problemDocument(problem, request.id, options.now(), options.problems)
    return reply
      .code(problem.declaration.status)
      .type('application/problem+json')
      .serializer(JSON.stringify)
      .send(document)
  }

  app.setErrorHandler(sendProblem)
  app.setNotFoundHandler((request, reply) => sendProblem(new NoSuchRoute(), request, reply))
  app.decorateRequest('identity')
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.operationId ?? 'none'
    options.metrics.httpDuration.observe({ operation, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })

  for (const operation of options.operations) addOperation(app, operation, options)
  const document = openapiDocument(options.operations as Operation[], options.problems.publicUrl)
  app.get('/v1/openapi.json', (_, reply) => reply.send(document))
  return app
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operationId?: string
  }
}

function addOperation<S>(app: FastifyInstance, operation: Operation<S>, options: HttpServerOptions<S>): void {
  const { declaration } = operation
  const validators: [Part, keyof FastifyRequest & ('params' | 'query' | 'body'), PartValidator][] = []
  if (declaration.params) validators.push(['path', 'params', partValidator('path', declaration.params)])
  if (declaration.query) validators.push(['query', 'query', partValidator('query', declaration.query)])
  if (declaration.body) validators.push(['body', 'body', partValidator('body', declaration.body)])

  const register = (instance: FastifyInstance) =>
    instance.route({
      method: declaration.method,
      url: routerPath(publicPath(declaration.path)),
      bodyLimit: declaration.bodyBytesMax ?? bodyBytesDefault,
      config: { operationId: declaration.id },
      ...(!declaration.produces && { schema: { response: jsonReplies(declaration.reply) } }),
      validatorCompiler: () => () => true,
      onRequest: async (request) => {
        if (declaration.access === 'public') return
        const apiKey = apiKeyOf(request.headers)
        const identity = apiKey === undefined ? undefined : await options.authenticate(apiKey)
        if (!identity) throw new Unauthenticated()
        request.identity = identity
      },
      handler: async (request, reply) => {
        const issues: Issue[] = []
        for (const [part, key, validate] of validators) {
          if (part === 'body' && declaration.bodyOptional && request.body == null) continue
          const hostile = hostileInput(part, request[key])
          issues.push(
            ...hostile,
            ...(hostile.length > 0 ? [] : validate(part === 'body' ? (request.body ?? null) : request[key])),
          )
        }
        const { identity } = request
        if (issues.length > 0) throw new InvalidInput({ issues })
        authorise(declaration.access, request.params as Record<string, string>, identity)
        const result = await operation.run(
          {
            params: request.params as never,
            query: request.query as never,
            body: request.body as never,
            headers: request.headers,
            url: request.raw.url ?? '',
            requestId: request.id,
            log: request.log as Logger,
            get signal() {
              return abortSignal(request)
            },
            ...(identity && { ...identity, db: options.database.forProject(identity.project.id) }),
          },
          options.services,
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

/** A wrong scope is refused; another project's name or id looks exactly like a missing one. */
function authorise(access: string, params: Record<string, string>, identity: Identity | undefined): void {
  if (!identity) return
  if (access === 'full' && identity.caller.scope !== 'full') throw new Forbidden()
  const wanted = params['projectIdOrName']
  if (wanted === undefined) return
  if (wanted.toLowerCase() !== identity.project.id && wanted.toLowerCase() !== identity.project.name) {
    throw new NotFound({ detail: 'There is no such project.' })
  }
}

function jsonReplies(replies: Operation['declaration']['reply']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(replies).filter(([, schema]) => (schema as unknown as { type?: string }).type !== 'null'),
  )
}

function abortSignal(request: FastifyRequest): AbortSignal {
  const controller = new AbortController()
  request.raw.once('close', () => {
    if (!request.raw.complete) controller.abort()
  })
  return controller.signal
}
