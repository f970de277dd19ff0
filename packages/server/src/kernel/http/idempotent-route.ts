import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EndpointReply, EndpointRequest } from './exchange.ts'
import { type Idempotency, type IdempotencyClaim, isKept } from './idempotency.ts'

declare module 'fastify' {
  interface FastifyRequest {
    idempotencyClaim: IdempotencyClaim | undefined
  }
}

/** Response headers that belong to the result, not to the single exchange. */
const keptHeaders = ['content-type', 'cache-control', 'location', 'link', 'x-next-page-token']

/**
 * Runs before a request: claims its key, or sends the stored response of the first request and marks it as a replay.
 */
export async function replayOrClaim(
  idempotency: Idempotency,
  request: EndpointRequest,
  reply: EndpointReply,
): Promise<boolean> {
  const key = request.headers['idempotency-key']
  const { identity } = request
  if (typeof key !== 'string' || !identity) return false
  const begun = await idempotency.begin({
    key,
    identity,
    method: request.method,
    // The declared path, whichever host the request used.
    url: request.raw.url ?? '',
    body: request.body as Buffer | undefined,
  })
  if ('claim' in begun) {
    request.idempotencyClaim = begun.claim
    return false
  }
  const { status, headers, body } = begun.answer
  reply.code(status).headers(headers).header('idempotency-replayed', 'true')
  reply.send(body === '' ? undefined : body)
  return true
}

/**
 * Settles the claim before the response is sent, so a client that received the response finds it again. Streams are not
 * stored. If the row cannot be written, the response is sent anyway and the key stays claimed: nothing is done twice.
 */
export function keepAnswer(idempotency: Idempotency) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const claim = request.idempotencyClaim
    if (!claim) return payload
    request.idempotencyClaim = undefined
    const { statusCode: status } = reply
    const body = payload ?? ''
    const kept = isKept(status) && typeof body === 'string'
    try {
      await idempotency.end(claim, kept ? { status, headers: headersOf(reply), body } : undefined)
    } catch (error) {
      request.log.error({ err: error }, 'failed to store the response to a request with an Idempotency-Key')
    }
    return payload
  }
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const entries = keptHeaders.map((name) => [name, reply.getHeader(name)] as const)
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])))
}
