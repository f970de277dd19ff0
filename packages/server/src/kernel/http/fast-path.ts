import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../telemetry/index.ts'
import type { EndpointHost } from './add-endpoint.ts'
import { authorizeKey } from './authorize.ts'
import { type ApiKeyCaller, type CallerProject, credentialOf } from './caller.ts'
import { createFastEndpoints, type FastEndpoints } from './fast-endpoints.ts'
import { headerOf } from './header-names.ts'
import type { Framework, LeftRequest, NodeExchange } from './left-request.ts'
import type { PassThrough, PassThroughInput } from './pass-through-declaration.ts'
import { isPreflight } from './preflight.ts'
import { publicPath } from './routes.ts'

export interface FastPath<S = never> {
  /** Handles a request with a cached key. Returns false when the framework must handle the request. */
  take(exchange: NodeExchange, framework: Framework): boolean
  /** Returns what the framework needs to respond to a request that failed here. */
  left(request: IncomingMessage): LeftRequest | undefined
  add(passThrough: PassThrough<S>, host: EndpointHost<S>): void
  endpoints: Pick<FastEndpoints, 'add'>
}

/**
 * The fast path of pass-through requests. The framework costs as much per request as the pass-through, so a request
 * with a cached caller bypasses it. The order is the same (authenticate, authorize, run), with nothing awaited before
 * `run`. The framework handles everything else (`pass-through.ts`): a credential that needs a lookup, a person, whose
 * role needs one, a preflight, and each problem.
 */
export function createFastPath<S>({
  rewriteUrl,
  newId,
  log,
  safe,
  observe,
}: {
  rewriteUrl: (request: IncomingMessage) => string
  newId: () => string
  log: Logger
  /** Headers of every response. */
  safe: [name: string, value: string][]
  /** Counts a sent response. */
  observe: (operationId: string, status: number, seconds: number) => void
}): FastPath<S> {
  const routes: { prefix: string; passThrough: PassThrough<S>; host: EndpointHost<S> }[] = []
  const requestsLeft = new WeakMap<IncomingMessage, LeftRequest>()
  const leaving = (request: IncomingMessage, left: LeftRequest) => void requestsLeft.set(request, left)
  const endpoints = createFastEndpoints({ newId, log, safe, observe, leave: leaving })

  return {
    add: (passThrough, host) =>
      void routes.push({ prefix: `${publicPath(passThrough.declaration.path)}/`, passThrough, host }),
    endpoints,
    left: (request) => requestsLeft.get(request),
    take(exchange, framework) {
      const { request, response } = exchange
      const url = rewriteUrl(request)
      const way = routes.find(({ prefix }) => url.startsWith(prefix))
      if (way === undefined) return endpoints.take(exchange, url, framework)
      if (isPreflight(request)) return false
      const credential = credentialOf(request)
      const admitted = credential && way.host.checkCaller.known(credential)
      if (!admitted) return false
      if (admitted.identity.caller.kind !== 'apiKey') return false

      const begun = performance.now()
      const { passThrough: relay, host } = way
      const input = new FastPathInput(request, response, url, credential.value, newId(), log)
      const leave = (error?: Error) => {
        if (response.headersSent) {
          // The response has begun: only a cut connection can show that it is incomplete.
          input.log.debug({ err: error }, 'a proxied response broke off')
          response.destroy()
          return
        }
        const { requestId, headers } = input
        requestsLeft.set(request, { requestId, caller: admitted, headers, error })
        framework(request, response)
      }
      if (admitted.standing?.isBeyond) leave()
      else
        try {
          const named = headerOf(request.headers, 'x-mortise-project-id')
          const { caller, project } = authorizeKey(relay.declaration.access, named, admitted.identity)
          relay
            .run(input.of(caller, project), host.services)
            .then(() => observe(relay.declaration.id, response.statusCode, (performance.now() - begun) / 1000), leave)
        } catch (error) {
          leave(error as Error)
        }
      return true
    },
  }
}

class FastPathInput implements PassThroughInput {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: string
  readonly credential: string
  readonly requestId: string
  readonly headers: [name: string, value: string][] = []
  caller!: ApiKeyCaller
  project!: CallerProject
  readonly #log: Logger
  #own: Logger | undefined

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    url: string,
    credential: string,
    requestId: string,
    log: Logger,
  ) {
    this.request = request
    this.response = response
    this.url = url
    this.credential = credential
    this.requestId = requestId
    this.#log = log
  }

  /** Created on first use: most requests log nothing. */
  get log(): Logger {
    this.#own ??= this.#log.child({ requestId: this.requestId })
    return this.#own
  }

  of(caller: ApiKeyCaller, project: CallerProject): this {
    this.caller = caller
    this.project = project
    return this
  }

  setHeader(name: string, value: string): void {
    this.headers.push([name, value])
  }
}
