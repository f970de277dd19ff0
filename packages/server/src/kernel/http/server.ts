import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Logger, Metrics } from '../telemetry/index.ts'
import { addOperation, bodyBytesDefault, type OperationHost } from './add-operation.ts'
import { answerClientError } from './client-error.ts'
import { asProblem } from './map-error.ts'
import { openapiDocument } from './openapi.ts'
import type { Operation } from './operation.ts'
import { type ProblemSettings, problemDocument } from './problem-document.ts'
import { NoSuchRoute } from './problems.ts'

export interface HttpServerOptions<S> extends OperationHost<S> {
  operations: Operation<S>[]
  log: Logger
  metrics: Metrics
  problems: ProblemSettings
  now: () => Date
  newId: () => string
  /** Addresses of proxies whose X-Forwarded-* headers are believed. */
  trustedProxies: string[]
}

/** Up to this size the rest of a refused body is read and dropped, so that its sender sees the answer and keeps the connection. */
const drainedBytesMax = 100 * 1024 * 1024

/** The HTTP server: every declared operation, problems, request ids, the OpenAPI document. It does not listen yet. */
export function createHttpServer<S>(options: HttpServerOptions<S>): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => options.newId(),
    bodyLimit: bodyBytesDefault,
    requestTimeout: 60_000,
    keepAliveTimeout: 5_000,
    http: { headersTimeout: 10_000, maxHeaderSize: 16 * 1024 },
    routerOptions: { maxParamLength: 2_000 },
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    forceCloseConnections: 'idle',
    // What arrives while the server closes is still answered; its own 503 would not be a problem document.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply),
    clientErrorHandler: (error, socket) =>
      answerClientError(error, socket, (problem) => {
        const requestId = options.newId()
        return { requestId, document: problemDocument(problem, requestId, options.now(), options.problems) }
      }),
  })

  function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = asProblem(error)
    if (problem.declaration.status >= 500) request.log.error({ err: error }, problem.declaration.title)
    else request.log.debug({ code: problem.declaration.code, err: problem.cause }, problem.message)
    const retryAfter = problem.occurrence.retryAfter
    if (retryAfter)
      reply.header('retry-after', Math.max(0, Math.ceil((retryAfter.getTime() - options.now().getTime()) / 1000)))
    if (problem.declaration.status === 401) reply.header('www-authenticate', 'Bearer')
    if (problem.declaration.status === 413 && Number(request.headers['content-length']) <= drainedBytesMax)
      reply.header('connection', 'keep-alive')
    const document = problemDocument(problem, request.id, options.now(), options.problems)
    return reply
      .code(problem.declaration.status)
      .header('x-request-id', request.id)
      .type('application/problem+json')
      .serializer(JSON.stringify)
      .send(document)
  }

  app.setErrorHandler(sendProblem)
  app.setNotFoundHandler((request, reply) => sendProblem(new NoSuchRoute(), request, reply))
  app.decorateRequest('identity')
  // Read when it is checked, together with the other parts.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
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
