import type { IncomingMessage } from 'node:http'
import process from 'node:process'
import type { FastifyBaseLogger } from 'fastify'
import type { Logger } from '../telemetry/index.ts'
import { requestTimeoutMs, watchArrival } from './arrival.ts'
import { bodyLimitOf } from './body-limits.ts'
import { credentialOf } from './caller.ts'
import type { CallerCheck } from './caller-check.ts'
import { allowAnyOrigin } from './cors.ts'
import type { Endpoint } from './endpoint.ts'
import type { Handler } from './exchange.ts'
import { FastReply, FastRequest } from './fast-exchange.ts'
import type { Framework, LeftRequest, NodeExchange } from './left-request.ts'
import { requestLog } from './request-log.ts'
import { publicPath } from './routes.ts'
import { serializerOf } from './schema-compilers.ts'

/** Endpoints on the fast path. */
export interface FastEndpoints {
  add(
    declaration: Pick<Endpoint['declaration'], 'id' | 'path' | 'reply' | 'access' | 'bodyBytesMax'>,
    host: { checkCaller: CallerCheck; stopping: AbortSignal },
    handle: Handler,
  ): void
  /** Handles a request that the fast path takes. Returns false when the framework must handle it. */
  take(exchange: NodeExchange, url: string, framework: Framework): boolean
}

interface Served {
  id: string
  /** Returns the parameters in a path, or undefined for another path. */
  match(path: string): Record<string, string> | undefined
  bytesMax: number
  checkCaller: CallerCheck
  stopping: AbortSignal
  handle: Handler
  serializers: Map<number, (value: object) => string>
}

/**
 * The fast path of some endpoints. The framework costs more per request than most of what they do, so a plain request
 * with a cached key bypasses it. The order is the same: the key is known and counted, then the handler of the endpoint
 * validates, authorizes and runs, as it does for the framework. The framework handles all other requests and problems.
 */
export function createFastEndpoints({
  newId,
  log,
  safe,
  observe,
  leave,
}: {
  newId: () => string
  log: Logger
  /** Headers of every response. */
  safe: [name: string, value: string][]
  /** Counts a sent response. */
  observe: (operationId: string, status: number, seconds: number) => void
  leave: (request: IncomingMessage, left: LeftRequest) => void
}): FastEndpoints {
  const served: Served[] = []
  const anyOrigin: LeftRequest['headers'] = []
  allowAnyOrigin({ header: (name, value) => anyOrigin.push([name, value]) })

  function serve(one: Served, params: object, exchange: NodeExchange, framework: Framework): void {
    const { request, response } = exchange
    const credential = credentialOf(request)
    const admitted = credential && one.checkCaller.known(credential)
    if (admitted?.identity.caller.kind !== 'apiKey') {
      framework(request, response)
      return
    }
    const begun = performance.now()
    const id = newId()
    const fail = (error?: Error) => {
      leave(request, { requestId: id, caller: admitted, headers: anyOrigin, error })
      framework(request, response)
    }
    if (admitted.standing?.isBeyond) {
      fail()
      return
    }
    const reply = new FastReply(response, one.serializers)
    reply.header('x-request-id', id)
    for (const [name, value] of safe) reply.header(name, value)
    allowAnyOrigin(reply)
    one.checkCaller.applyRateLimit(admitted, reply)
    readBody(exchange, (body) => {
      const ownLog = requestLog(log as FastifyBaseLogger, { requestId: id }, {})
      const fast = new FastRequest(request, { id, params, body, identity: admitted.identity, log: ownLog })
      const served = () => observe(one.id, response.statusCode, (performance.now() - begun) / 1000)
      one.handle(fast, reply).then(served, fail)
    })
  }

  return {
    add(declaration, { checkCaller, stopping }, handle) {
      const match = pathMatcher(publicPath(declaration.path))
      const replies = Object.entries(declaration.reply)
      served.push({
        ...{ id: declaration.id, match, bytesMax: bodyLimitOf(declaration), checkCaller, stopping, handle },
        serializers: new Map(replies.map(([status, schema]) => [Number(status), serializerOf(schema)])),
      })
    },
    take(exchange, url, framework) {
      const { request } = exchange
      if (request.method !== 'POST') return false
      for (const one of served) {
        const params = one.match(url)
        if (!params) continue
        if (one.stopping.aborted || !isPlain(request, one.bytesMax)) return false
        // The body of most requests has arrived then.
        process.nextTick(serve, one, params, exchange, framework)
        return true
      }
      return false
    },
  }
}

/** A parameter that need not be decoded. */
const plainText = /[\w-]+/y

/** Returns a function that finds the parameters in a path, or undefined for another path. */
function pathMatcher(declared: string): (path: string) => Record<string, string> | undefined {
  // Fixed text and names of parameters alternate.
  const parts = declared.split(/\{(\w+)\}/)
  return (path) => {
    const params: Record<string, string> = {}
    let at = 0
    for (const [index, part] of parts.entries()) {
      if (index % 2 === 0) {
        if (!path.startsWith(part, at)) return undefined
        at += part.length
        continue
      }
      plainText.lastIndex = at
      const [text] = plainText.exec(path) ?? []
      if (text === undefined) return undefined
      params[part] = text
      at += text.length
    }
    return at === path.length ? params : undefined
  }
}

/** Whether a request has a small body of JSON, one credential, and nothing that needs more than that. */
function isPlain({ headers }: IncomingMessage, bytesMax: number): boolean {
  const bytes = Number(headers['content-length'])
  return (
    bytes > 0 &&
    bytes <= bytesMax &&
    headers['content-type'] === 'application/json' &&
    headers['idempotency-key'] === undefined &&
    headers.expect === undefined &&
    (headers['x-api-key'] === undefined) !== (headers.authorization === undefined)
  )
}

/** Nothing follows if the connection closes before. */
function readBody({ request, server }: NodeExchange, then: (body: Buffer) => void): void {
  if (request.complete) {
    then((request.read() as Buffer | null) ?? Buffer.alloc(0))
    return
  }
  watchArrival(request, server, requestTimeoutMs)
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.once('end', () => then(Buffer.concat(chunks)))
}
