import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Logger } from '../telemetry/index.ts'
import type { EndpointHost } from './add-endpoint.ts'
import { requestTimeoutMs, watchArrival } from './arrival.ts'
import { authorise } from './authorise.ts'
import { type ApiKeyCaller, type CallerProject, credentialOf } from './caller.ts'
import { headerOf } from './header-names.ts'
import type { Access } from './permissions.ts'
import type { ProblemClass } from './problem.ts'
import { Forbidden } from './problems.ts'
import type { RelayLane } from './relay-lane.ts'
import { publicPath } from './routes.ts'

/** What a relay gets: the request as Node has it, nothing of its body read. */
export interface RelayInput {
  request: IncomingMessage
  response: ServerResponse
  /** Path and query, from the relay's own path on, undecoded, whatever the host. */
  url: string
  caller: ApiKeyCaller
  project: CallerProject
  /** The key that the caller sent: it leaves this process in nothing. */
  credential: string
  requestId: string
  log: Logger
  /** Sets a header of the answer in case that a problem is thrown. */
  setHeader(name: string, value: string): void
}

export interface RelayDeclaration {
  /** Unique among endpoints too. */
  id: string
  /** Where it begins; everything below, by any method, is its own. In the form of endpoints: `//proxy`. */
  path: string
  /** The row of the table of permissions: one that only keys pass. */
  access: Access & 'key'
  /** The project stands in `X-Mortise-Project-Id`. */
  projectIn: 'header'
  summary: string
  problems: ProblemClass[]
}

/**
 * Declares a path below which requests are handed over as they are. It stands beside `endpoint()`: the order is the
 * same (authenticate, authorise, run, map errors), but what is sent and answered is another's, and nothing of it is
 * read here.
 */
export interface Relay<S = never> {
  declaration: RelayDeclaration
  /**
   * Answers when the answer has been sent or the client is gone. A problem thrown before the answer has begun becomes
   * the answer.
   */
  run: (input: RelayInput, services: S) => Promise<void>
}

export function relay<S>(declaration: RelayDeclaration & { run: Relay<S>['run'] }): Relay<S> {
  const { run, ...declared } = declaration
  return { declaration: declared, run }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    relay?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  }
}

/** All that Node's parser knows; the one of tunnels never becomes a request. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

/** Registers a relay. Needs `relayFirst` as a hook of every request. */
export function addRelay<S>(app: FastifyInstance, declared: Relay<S>, host: EndpointHost<S>): void {
  const { declaration, run } = declared
  for (const method of methods)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: false })
  app.route({
    method: methods,
    url: `${publicPath(declaration.path)}/*`,
    config: {
      operationId: declaration.id,
      relay: async (request, reply) => {
        const identity = await host.admit(request, reply)
        request.identity = identity
        const projectIdOrName = headerOf(request.headers, 'x-mortise-project-id')
        const { project } = await authorise(declaration.access, { projectIdOrName }, identity, host.findRole)
        if (identity.caller.kind !== 'apiKey' || !project) throw new Forbidden()
        await run(
          {
            request: request.raw,
            response: reply.raw,
            url: request.raw.url ?? '',
            caller: identity.caller,
            project,
            credential: credentialOf(request)?.value ?? '',
            requestId: request.id,
            log: request.log as Logger,
            setHeader: (name, value) => void reply.header(name, value),
          },
          host.services,
        )
      },
    },
    handler: async (_, reply) => reply,
  })
}

/** A browser asks whether it may (Fetch standard, 3.2.2); any other OPTIONS is the provider's. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

/**
 * Hands requests of relays over before anything else sees them: their bodies are not parsed. One that the lane has
 * begun already ended in a problem there.
 */
export function relayFirst<S>(lane: RelayLane<S>, host: EndpointHost<S>) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const { raw, routeOptions } = request
    const { relay: run } = routeOptions.config
    const arrive = () => watchArrival(raw, request.server.server, requestTimeoutMs)
    const left = lane.left(raw)
    if (left) {
      arrive()
      host.admit.tell(left.admitted, reply)
      for (const [name, value] of left.headers) reply.header(name, value)
      done(left.error)
      return
    }
    if (run === undefined) {
      arrive()
      done()
      return
    }
    if (isPreflight(raw)) {
      done()
      return
    }
    run(request, reply).then(
      () => reply.hijack(),
      (error: Error) => {
        if (!reply.raw.headersSent) {
          arrive()
          done(error)
          return
        }
        // The answer has begun: only its end can say that it is not whole.
        request.log.debug({ err: error }, 'a proxied response broke off')
        reply.hijack()
        reply.raw.destroy()
      },
    )
  }
}
