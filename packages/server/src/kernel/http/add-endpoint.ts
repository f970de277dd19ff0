import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Database } from '../db/index.ts'
import type { Logger } from '../telemetry/index.ts'
import { abortSignal, streamSignal } from './abort-signal.ts'
import { type AuditLog, type Auditor, auditorOf, leavesEntry } from './audit.ts'
import type { AuditNote } from './audit-part.ts'
import {
  type AccessScope,
  assertAgentSession,
  assertConfined,
  assertMayChange,
  assertSession,
  authorize,
  callerIn,
} from './authorize.ts'
import { bodyLimitOf } from './body-limits.ts'
import { confinementOf, credentialOf, type FindRole, type Identity } from './caller.ts'
import type { CallerCheck } from './caller-check.ts'
import { challenging } from './challenge.ts'
import type { Endpoint, Reply } from './endpoint.ts'
import { tagEntity } from './entity-tag.ts'
import { eventStreamHeaders, eventStreamType } from './event-stream.ts'
import type { EndpointReply, EndpointRequest, Handler } from './exchange.ts'
import type { FastEndpoints } from './fast-endpoints.ts'
import { headerOf } from './header-names.ts'
import { checkIdempotencyKey, type Idempotency } from './idempotency.ts'
import { keepAnswer, replayOrClaim } from './idempotent-route.ts'
import type { Access } from './permissions.ts'
import { inputReader } from './read-input.ts'
import { nameRest, publicPath, routerPath } from './routes.ts'
import { secretFinder } from './shown-secrets.ts'
import type { StreamLeases } from './stream-leases.ts'

/** What endpoints need to run. */
export interface EndpointHost<S> {
  services: S
  checkCaller: CallerCheck
  findRole: FindRole
  database: Pick<Database, 'forProject'>
  /** When undefined, the header Idempotency-Key has no effect. */
  idempotency: Idempotency | undefined
  /** Records changes; without it, nothing is recorded. */
  audit?: AuditLog | undefined
  /** All endpoints of the server. */
  endpoints: readonly Endpoint<S>[]
  /** Ends when the server begins to stop. */
  stopping: AbortSignal
  leases: StreamLeases
}

declare module 'fastify' {
  interface FastifyRequest {
    identity?: Identity
    /** The endpoint reports bad requests in plain text. */
    plainBadRequests: boolean
  }
  interface FastifyContextConfig {
    operationId?: string
    /** False disables the CORS plugin: endpoints send the same headers to every origin. */
    cors?: false
  }
}

export type FrameworkHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/**
 * Registers one declared endpoint. The order is fixed: authenticate, validate, authorize, run. Returns the handler,
 * which does all but the first; so does the fast path.
 */
export function addEndpoint<S>(
  app: FastifyInstance,
  endpoint: Endpoint<S>,
  host: EndpointHost<S>,
  fastEndpoints: Pick<FastEndpoints, 'add'>,
): FrameworkHandler {
  const { declaration } = endpoint
  const handle = handlerOf(endpoint, host)
  if (declaration.fastPath) fastEndpoints.add(declaration, host, handle)
  const handler = challenging(endpoint, host, handle)
  const register = (instance: FastifyInstance) =>
    instance.route({
      method: declaration.method,
      url: routerPath(publicPath(declaration.path), declaration),
      bodyLimit: bodyLimitOf(declaration),
      config: { operationId: declaration.id, cors: false },
      ...(!declaration.produces && { schema: { response: jsonReplies(declaration.reply) } }),
      ...hooksOf(declaration, host),
      ...(declaration.agentSignIn && { onRequest: challenging(endpoint, host, authenticating(host)) }),
      handler,
    })

  if (!isRaw(declaration.accepts)) register(app)
  else {
    // Only in this scope: passes the body on unparsed, whatever its media type.
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      if (declaration.accepts === 'bytes')
        scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      else scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
      register(scope)
    })
  }
  return handler
}

/**
 * Returns the hooks around the handler of an endpoint: they authenticate the caller, or count the request by address.
 */
export function hooksOf<S>(
  declaration: Pick<Endpoint['declaration'], 'access' | 'method' | 'produces' | 'accepts' | 'rateScope' | 'onlyReads'>,
  host: EndpointHost<S>,
): Pick<RouteOptions, 'onRequest' | 'onSend'> {
  if (declaration.access === 'public')
    return { onRequest: async (request, reply) => host.checkCaller.anybody(request, reply, declaration.rateScope) }
  return {
    onRequest: authenticating(host),
    ...(declaration.method === 'GET' && !declaration.produces && { onSend: tagEntity }),
    ...(mayRepeat(declaration) && host.idempotency && { onSend: keepAnswer(host.idempotency) }),
  }
}

function authenticating<S>({ checkCaller }: Pick<EndpointHost<S>, 'checkCaller'>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.identity = await checkCaller(request, reply)
  }
}

/**
 * Returns whether an endpoint supports Idempotency-Key: methods that are not idempotent, with an authenticated caller.
 */
export function mayRepeat({
  access,
  method,
  accepts,
  onlyReads,
}: Pick<Endpoint['declaration'], 'access' | 'method' | 'accepts' | 'onlyReads'>) {
  return access !== 'public' && !isRaw(accepts) && (method === 'POST' || method === 'PATCH') && onlyReads !== true
}

/** Returns whether an endpoint receives its body unparsed. */
export function isRaw(accepts: Endpoint['declaration']['accepts']): boolean {
  return accepts === 'binary' || accepts === 'bytes'
}

function handlerOf<S>(endpoint: Endpoint<S>, host: EndpointHost<S>): Handler {
  const { declaration } = endpoint
  const run = audited(endpoint, host)
  const { idempotency, services } = host
  const { moreIssues } = declaration
  const isRepeatable = idempotency !== undefined && mayRepeat(declaration)
  const isStream = declaration.produces === eventStreamType
  const secretFinders = new Map(
    Object.entries(declaration.reply).map(([status, schema]) => [Number(status), secretFinder(schema)]),
  )
  const readInput = inputReader(
    declaration,
    bodyLimitOf(declaration),
    moreIssues && ((body, issues) => moreIssues(body, issues, services)),
    isRepeatable ? checkIdempotencyKey : undefined,
  )
  return async (request, reply) => {
    if (declaration.plainBadRequests) request.plainBadRequests = true
    if (declaration.takesRest) nameRest(declaration.path, request.params as Record<string, string>)
    const { identity } = request
    assertAgentSession(identity, declaration.agentSignIn?.of, projectOfPath(request))
    assertMayChange(identity, isChange(declaration))
    const body = readInput(request)
    const scope = await authorize(
      declaration.access,
      namedScope(declaration, request, body),
      identity,
      host.findRole,
      declaration,
    )
    assertSession(identity, declaration.session)
    assertConfined(identity, request.params, request.query, body)
    if (isRepeatable && (await replayOrClaim(idempotency, request, reply))) return reply
    const note: AuditNote = {}
    const result = await run(
      {
        params: request.params as never,
        query: request.query as never,
        body: body as never,
        headers: request.headers,
        url: request.originalUrl,
        get address() {
          return request.ip
        },
        isHead: request.method === 'HEAD',
        operationId: declaration.id,
        requestId: request.id,
        log: request.log as Logger,
        note: (more) => void Object.assign(note, more),
        entryRow: () => undefined,
        // Created on first use: most endpoints end before their client could disconnect.
        get signal() {
          return isStream ? leasedSignal(request, reply, declaration.access, scope, host) : abortSignal(reply)
        },
        get streamSignal() {
          return leasedSignal(request, reply, declaration.access, scope, host)
        },
        ...(identity && { caller: callerIn(identity.caller, scope), confinedTo: confinementOf(identity.caller) }),
        ...scope,
        ...(scope.project && { db: host.database.forProject(scope.project.id) }),
      },
      services,
      { note, identity, scope },
    )
    if (result.headers) reply.headers(result.headers)
    if (secretFinders.get(result.status)?.(result.body)) reply.header('cache-control', 'no-store')
    reply.code(result.status)
    if (declaration.produces && result.body !== null && !reply.hasHeader('content-type'))
      reply.type(declaration.produces)
    if (isStream) reply.headers(eventStreamHeaders)
    return reply.send(result.body === null ? undefined : (result.body as string | Buffer | Readable | object))
  }
}

type RunArguments<S> = Parameters<Endpoint<S>['run']>
type Context = { note: AuditNote; identity: Identity | undefined; scope: AccessScope }

/** Returns what an endpoint runs, followed by its entry in the audit log: the response waits for the entry. */
function audited<S>(
  endpoint: Endpoint<S>,
  host: EndpointHost<S>,
): (...args: [...RunArguments<S>, Context]) => ReturnType<Endpoint<S>['run']> {
  const auditor: Auditor<S> | undefined = host.audit && auditorOf(endpoint, host.endpoints, host.audit)
  if (!auditor) return endpoint.run
  return async (input, services, context) => {
    const before = await auditor.before(input, services)
    input.entryRow = () => auditor.row({ ...context, input, before, result: undefined })
    const settle = async (result: Reply | undefined) => {
      if (leavesEntry({ note: context.note, result })) await auditor.record({ ...context, input, before, result })
    }
    try {
      const result = await endpoint.run(input, services)
      await settle(result)
      return result
    } catch (error) {
      await settle(undefined)
      throw error
    }
  }
}

/** Returns the signal of an event stream, which also aborts when the caller loses access. */
function leasedSignal<S>(
  request: EndpointRequest,
  reply: EndpointReply,
  access: Access,
  scope: AccessScope,
  { stopping, leases }: EndpointHost<S>,
): AbortSignal {
  const { identity } = request
  const credential = credentialOf(request)
  if (!identity || !credential) return streamSignal(reply, stopping)
  const ended = new AbortController()
  const signal = streamSignal(reply, AbortSignal.any([stopping, ended.signal]))
  signal.addEventListener('abort', leases.watch({ credential, identity, access, scope, end: () => ended.abort() }))
  return signal
}

/** A message of an agent is not a change yet: its tools decide. */
function isChange({ method, onlyReads, agentSignIn }: Endpoint['declaration']): boolean {
  return method !== 'GET' && onlyReads !== true && agentSignIn === undefined
}

function projectOfPath({ params }: Pick<EndpointRequest, 'params'>): string | undefined {
  return (params as { projectIdOrName?: string }).projectIdOrName
}

/** Returns the project and the organization that a request names, wherever the endpoint declares them. */
function namedScope(
  { projectIn }: Endpoint['declaration'],
  request: EndpointRequest,
  body: unknown,
): { projectIdOrName?: string | undefined; orgId?: string } {
  if (projectIn === undefined) return request.params as Record<string, string>
  if (projectIn === 'body') return body as { projectIdOrName: string }
  return { projectIdOrName: headerOf(request.headers, 'x-mortise-project-id') }
}

export function jsonReplies(replies: Endpoint['declaration']['reply']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(replies).filter(([, schema]) => (schema as unknown as { type?: string }).type !== 'null'),
  )
}
