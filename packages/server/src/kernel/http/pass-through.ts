import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Logger } from '../telemetry/index.ts'
import type { EndpointHost } from './add-endpoint.ts'
import { requestTimeoutMs, watchArrival } from './arrival.ts'
import { assertAgentSession, assertMayChange, authorize } from './authorize.ts'
import { credentialOf } from './caller.ts'
import type { FastPath } from './fast-path.ts'
import { headerOf } from './header-names.ts'
import type { PassThrough } from './pass-through-declaration.ts'
import { isPreflight } from './preflight.ts'
import { Forbidden } from './problems.ts'
import { publicPath } from './routes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    passThrough?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  }
}

/** All methods of Node's parser but CONNECT, which never becomes a request. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

/** Registers a pass-through route. Needs `passThroughFirst` as a hook of every request. */
export function addPassThrough<S>(app: FastifyInstance, declared: PassThrough<S>, host: EndpointHost<S>): void {
  const { declaration, run } = declared
  for (const method of methods)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: false })
  app.route({
    method: methods,
    url: `${publicPath(declaration.path)}/*`,
    config: {
      operationId: declaration.id,
      passThrough: async (request, reply) => {
        const identity = await host.checkCaller(request, reply)
        request.identity = identity
        const projectIdOrName = headerOf(request.headers, 'x-mortise-project-id')
        assertAgentSession(identity, undefined, projectIdOrName)
        assertMayChange(identity, true)
        const { project } = await authorize(declaration.access, { projectIdOrName }, identity, host.findRole)
        const { caller } = identity
        if (caller.kind === 'consumer' || !project) throw new Forbidden()
        await run(
          {
            request: request.raw,
            response: reply.raw,
            url: request.raw.url ?? '',
            caller,
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

/**
 * Runs pass-through requests before any other hook, so their bodies are not parsed. A request that failed on the fast
 * path ends in that problem.
 */
export function passThroughFirst<S>(fastPath: FastPath<S>, host: EndpointHost<S>) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const { raw, routeOptions } = request
    const { passThrough: run } = routeOptions.config
    const arrive = () => watchArrival(raw, request.server.server, requestTimeoutMs)
    const left = fastPath.left(raw)
    if (left) {
      arrive()
      request.identity = left.caller.identity
      for (const [name, value] of left.headers) reply.header(name, value)
      host.checkCaller.applyRateLimit(left.caller, reply)
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
        // The response has begun: only a cut connection can show that it is incomplete.
        request.log.debug({ err: error }, 'a proxied response broke off')
        reply.hijack()
        reply.raw.destroy()
      },
    )
  }
}
