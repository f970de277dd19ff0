import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import cors from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { ProcessGroup } from '../processes/index.ts'
import type { Logger, Metrics } from '../telemetry/index.ts'
import { addEndpoint, type EndpointHost, type FrameworkHandler } from './add-endpoint.ts'
import { bodyLimits } from './body-limits.ts'
import { type Authenticate, callerName, credentialOf } from './caller.ts'
import { createCallerCheck } from './caller-check.ts'
import { challengeOf } from './challenge.ts'
import { createClientErrors } from './client-error.ts'
import { allowAnyOrigin, corsOptions } from './cors.ts'
import { endEmptyBody } from './empty-body.ts'
import type { Endpoint } from './endpoint.ts'
import { createFastPath, type FastPath } from './fast-path.ts'
import { hostRewriter } from './hosts.ts'
import type { Idempotency } from './idempotency.ts'
import type { Framework } from './left-request.ts'
import { asProblem } from './map-error.ts'
import { notFoundPage } from './not-found-page.ts'
import { openapiDocument } from './openapi.ts'
import { plainPageHeaders } from './page-headers.ts'
import { addPassThrough, passThroughFirst } from './pass-through.ts'
import type { PassThrough } from './pass-through-declaration.ts'
import { prefersHtml, prefersJson, problemText } from './plain-problem.ts'
import type { Problem } from './problem.ts'
import { type ProblemSettings, problemDocument } from './problem-document.ts'
import { ExpectationUnknown, NoSuchRoute, TunnelRefused } from './problems.ts'
import { requestLog } from './request-log.ts'
import { withPlainVerb } from './routes.ts'
import { safeHeaders } from './safe-headers.ts'
import { compilersFactory } from './schema-compilers.ts'
import { addSharedPath, type SharedPath } from './shared-path.ts'
import { createStreamLeases, type FollowCredentials } from './stream-leases.ts'
import { faultOfHead } from './wire-rules.ts'

export interface HttpServerOptions<S>
  extends Omit<EndpointHost<S>, 'stopping' | 'checkCaller' | 'idempotency' | 'leases'> {
  endpoints: Endpoint<S>[]
  sharedPaths?: SharedPath[]
  /** Path prefixes whose requests are passed through. */
  relays?: PassThrough<S>[]
  /** Returns the OpenAPI document; called once. Default: only what the endpoints declare. */
  document?: () => object
  authenticate: Authenticate
  /** Notifies open event streams that credentials may have changed; without it they are only checked at intervals. */
  followCredentials?: FollowCredentials
  /** Requests that a credential has a second on this node. 0, the default, is unlimited. */
  rateLimit?: number
  /** Requests without a credential that one client address has a second on this node. 0, the default, is unlimited. */
  addressRateLimit?: number
  /** The processes that share these limits; undefined for one process. */
  group?: ProcessGroup | undefined
  idempotency?: Idempotency
  log: Logger
  metrics: Metrics
  problems: ProblemSettings
  now: () => Date
  newId: () => string
  /** Addresses of proxies whose X-Forwarded-* headers are trusted. */
  trustedProxies: string[]
}

/**
 * Up to this size, the rest of a rejected body is read and discarded, so that the client sees the response and keeps
 * the connection.
 */
const drainedBytesMax = 100 * 1024 * 1024

/** Bodies have a separate deadline (`arrival.ts`): pass-through bodies may take as long as data flows. */
const serverOptions = {
  requestTimeout: 0,
  keepAliveTimeout: 5_000,
  headersTimeout: 10_000,
  // Interval at which Node checks for late requests; 30 s by default.
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
  // Checked with the rest of the head (`wire-rules.ts`), so that the response is a problem document.
  requireHostHeader: false,
  // A request without a body gets no stream that has to end: a tenth less time for each (decision 0063).
  optimizeEmptyRequests: true,
}

/**
 * Creates the HTTP server: every declared endpoint, problems, request ids, the OpenAPI document. It does not listen
 * yet.
 */
export function createHttpServer<S>(options: HttpServerOptions<S>): FastifyInstance {
  const observe = createObserve(options.metrics)
  const rewriteUrl = hostRewriter(options.problems.publicUrl)
  const safe = safeHeaders(options.problems.publicUrl)
  const sendProblem = createSendProblem(options, safe)
  const clientErrors = createClientErrors((problem) => {
    const requestId = options.newId()
    return { requestId, document: problemDocument(problem, requestId, options.now(), options.problems) }
  }, safe)
  const fastPath = createFastPath<S>({ rewriteUrl, newId: options.newId, log: options.log, safe, observe })
  const app: FastifyInstance = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    childLoggerFactory: requestLog,
    genReqId: (raw) => fastPath.left(raw as IncomingMessage)?.requestId ?? options.newId(),
    bodyLimit: bodyLimits.withoutCredential,
    serverFactory: (framework) => createNodeServer(framework, fastPath, clientErrors),
    routerOptions: { maxParamLength: 2_000 },
    schemaController: { compilersFactory },
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    forceCloseConnections: 'idle',
    // Requests that arrive while the server closes are still processed; Fastify's 503 would not be a problem document.
    return503OnClosing: false,
    rewriteUrl: (request) => withPlainVerb(rewriteUrl(request)),
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply),
    clientErrorHandler: (error, socket) => clientErrors.parser(error, socket),
  })

  app.setErrorHandler(sendProblem)
  app.setNotFoundHandler((request, reply) => sendProblem(new NoSuchRoute(), request, reply))
  decorateRequests(app)
  const stopping = new AbortController()
  // Every open event stream adds a handler to it.
  setMaxListeners(0, stopping.signal)
  app.addHook('preClose', (done) => {
    stopping.abort()
    leases.stop()
    done()
  })
  const leases = createStreamLeases({
    authenticate: options.authenticate,
    findRole: options.findRole,
    follow: options.followCredentials,
    now: options.now,
    log: options.log,
  })

  const host: EndpointHost<S> = {
    services: options.services,
    findRole: options.findRole,
    database: options.database,
    checkCaller: createCallerCheck({ rateLimit: 0, addressRateLimit: 0, ...options }),
    idempotency: options.idempotency,
    audit: options.audit,
    endpoints: options.endpoints,
    stopping: stopping.signal,
    leases,
  }

  app.addHook('onRequest', passThroughFirst(fastPath, host))
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    for (const [name, value] of safe) reply.header(name, value)
    done()
  })
  app.register(cors, corsOptions)
  keepBodiesAsBuffers(app)
  app.addHook('preParsing', endEmptyBody)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.operationId !== undefined) allowAnyOrigin(reply)
    else if (request.method !== 'OPTIONS') host.checkCaller.anybody(request, reply)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    observe(request.routeOptions.config.operationId ?? 'none', reply.statusCode, reply.elapsedTime / 1000)
    done()
  })

  const known = new Map<string, { endpoint: Endpoint<S>; handler: FrameworkHandler }>()
  for (const endpoint of options.endpoints)
    known.set(endpoint.declaration.id, { endpoint, handler: addEndpoint(app, endpoint, host, fastPath.endpoints) })
  for (const one of options.relays ?? []) {
    addPassThrough(app, one, host)
    fastPath.add(one, host)
  }
  for (const path of options.sharedPaths ?? []) addSharedPath(app, path, known, host)

  addDocument(app, options)
  return app
}

/** Keeps JSON unparsed: validation parses it together with the other parts of the request. */
function keepBodiesAsBuffers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

/** Declares the properties that hooks add to a request, so that all requests have the same shape. */
function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('identity')
  app.decorateRequest('plainBadRequests', false)
  app.decorateRequest('resourceMetadata')
  app.decorateRequest('idempotencyClaim')
}

type Observe = (endpoint: string, status: number, seconds: number) => void

/** Counts responses. Caches the histograms by endpoint and status: looking up labels costs more than counting. */
function createObserve(metrics: HttpServerOptions<never>['metrics']): Observe {
  const durations = new Map<string, Map<number, { observe(seconds: number): void }>>()
  return (endpoint, status, seconds) => {
    let statuses = durations.get(endpoint)
    if (!statuses) {
      statuses = new Map()
      durations.set(endpoint, statuses)
    }
    let duration = statuses.get(status)
    if (!duration) {
      duration = metrics.httpDuration.labels({ operation: endpoint, status: String(status) })
      statuses.set(status, duration)
    }
    duration.observe(seconds)
  }
}

type SendProblem = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Sends the problem document of a failed request, and logs it. */
function createSendProblem(
  options: Pick<HttpServerOptions<never>, 'now' | 'problems'>,
  safe: ReturnType<typeof safeHeaders>,
): SendProblem {
  return (error, request, reply) => {
    const problem = asProblem(error, request.routeOptions.bodyLimit)
    const { status } = problem.declaration
    if (status === 502 || status === 504) request.log.info({ code: problem.declaration.code }, problem.message)
    else if (status >= 500 && status !== 501) request.log.error({ err: error }, problem.declaration.title)
    else if (status === 401 || status === 403) request.log.info(refusalLine(problem, request), 'request refused')
    else request.log.debug({ code: problem.declaration.code, err: problem.cause }, problem.message)
    const retryAfter = problem.occurrence.retryAfter
    if (retryAfter)
      reply.header('retry-after', Math.max(0, Math.ceil((retryAfter.getTime() - options.now().getTime()) / 1000)))
    if (status === 401) {
      const isToken = credentialOf(request)?.kind === 'bearer'
      reply.header('www-authenticate', challengeOf({ isToken, metadata: request.resourceMetadata }))
    }
    if (problem.declaration.allow !== undefined) reply.header('allow', problem.declaration.allow)
    if (status === 413 && Number(request.headers['content-length']) <= drainedBytesMax)
      reply.header('connection', 'keep-alive')
    // Also when no hook has run, because the path is malformed.
    reply.code(status).header('x-request-id', request.id).header('access-control-allow-origin', '*')
    for (const [name, value] of safe) reply.header(name, value)
    if (status === 400 && request.plainBadRequests && !prefersJson(request.headers.accept))
      return reply.type('text/plain; charset=utf-8').serializer(String).send(problemText(problem))
    if (status === 404 && request.method === 'GET' && prefersHtml(request.headers.accept))
      return reply
        .headers(plainPageHeaders)
        .type('text/html; charset=utf-8')
        .serializer(String)
        .send(notFoundPage(request.id))
    const document = problemDocument(problem, request.id, options.now(), options.problems)
    return reply.type('application/problem+json').serializer(JSON.stringify).send(document)
  }
}

/** Creates Node's server. It rejects heads that break the rules, and tries the fast path first. */
function createNodeServer<S>(
  framework: Framework,
  fastPath: FastPath<S>,
  clientErrors: ReturnType<typeof createClientErrors>,
) {
  const server = createServer(serverOptions, (request, response) => {
    const fault = faultOfHead(request)
    if (fault) clientErrors.request(fault, response)
    else if (!fastPath.take({ request, response, server }, framework)) framework(request, response)
  })
  return (
    server
      // Without these Node responds with an empty 417, or closes the connection without a response.
      .on('checkExpectation', (_, response) => clientErrors.request(new ExpectationUnknown(), response))
      .on('connect', (_, socket) => clientErrors.socket(new TunnelRefused(), socket))
  )
}

/** Serves the OpenAPI document. */
function addDocument<S>(app: FastifyInstance, options: HttpServerOptions<S>): void {
  const document =
    options.document ?? (() => openapiDocument(options.endpoints as Endpoint[], options.problems.publicUrl))
  // Built on the first request, which keeps the start fast.
  let documentText: string | undefined
  app.get('/v1/openapi.json', (_, reply) => {
    documentText ??= JSON.stringify(document())
    return reply.type('application/json; charset=utf-8').send(documentText)
  })
}

/** Returns who was refused what, for the log (ASVS 5.0, 16.3.2). It omits the path, which may contain a credential. */
function refusalLine(problem: Problem, { identity, routeOptions, ip }: FastifyRequest) {
  return {
    code: problem.declaration.code,
    operation: routeOptions.config.operationId,
    caller: identity && callerName(identity.caller),
    address: ip,
  }
}
