import type { RelayInput } from '../../kernel/http/index.ts'
import type { SharedLimits } from '../../kernel/limits/index.ts'
import type { OutboundRelay } from '../../kernel/net/index.ts'
import type { LiveConnection } from '../../services.ts'
import { CredentialUnavailable } from '../connections/index.ts'
import { type Base, behind } from './base-of.ts'
import { passOn } from './pass-on.ts'
import { requestHeaders } from './passed-headers.ts'
import { ProxyBusy } from './problems.ts'
import { withQuery } from './provider-path.ts'
import { RequestBody } from './request-body.ts'
import type { TargetRow } from './target-store.ts'
import { throttleHeaders } from './throttle-headers.ts'
import type { Waits } from './waits.ts'

/** A call waits for its turn for so long. */
const turnMs = 10_000
/** A caller that sends no byte of its body for so long is given up. */
const stallMs = 60_000

export interface SendServices {
  outbound: OutboundRelay
  limits: SharedLimits
  waits: Waits
  now: () => Date
  /** Requests of one connection at once, over all nodes. */
  concurrency: number
  baseOf: (live: LiveConnection, module: string | undefined) => Base
}

export interface Sending {
  input: RelayInput
  path: string
  target: TargetRow
  live: LiveConnection
  throttles: boolean
}

/** Sends one call, once more after a 401 where that can help. Answers the bytes that went each way. */
export function createSend(services: SendServices) {
  const { outbound, limits, waits, now, concurrency, baseOf } = services

  async function waitForTurn({ live, target, input }: Sending, signal: AbortSignal) {
    const { projectId, id, entry } = live
    const places = limits.concurrency(projectId, `calls:${id}`, concurrency)
    if (!places.tryAcquire() && !(await places.acquire(turnMs, signal))) throw busy()
    const { rateLimit } = entry
    if (rateLimit === undefined) return places
    const name = rateLimit.per === 'app' ? `pace:app:${target.provider}` : `pace:${id}`
    const pace = limits.pace(projectId, name, rateLimit.requests, rateLimit.perSeconds)
    if (await pace.take(turnMs)) return places
    places.release()
    input.log.debug({ connectionId: id }, 'the rate limit of the provider is used up')
    throw busy()
  }
  const busy = () => new ProxyBusy({ retryAfter: new Date(now().getTime() + 1_000) })

  return async (sending: Sending): Promise<{ out: number; in: number }> => {
    const { input, live, target, throttles } = sending
    const { request, response, requestId } = input
    const base = baseOf(
      live,
      target.proxy?.useModule === true ? (target.module ?? live.entry.defaultModule) : undefined,
    )
    const path = behind(base, sending.path)
    const body = RequestBody.of(request, stallMs)
    const gone = new AbortController()
    const { signal } = gone
    // Not after an answer that is through: an abort makes an error, and costs as much as all the headers.
    const leave = () => {
      if (!response.writableFinished) gone.abort()
    }
    response.once('close', leave)
    const places = await waitForTurn(sending, signal)
    try {
      for (let isLast = false; ; isLast = true) {
        const credential = await live.authenticate({ signal })
        if (signal.aborted) return { out: 0, in: 0 }
        const passed = await passOn(
          outbound,
          {
            origin: base.origin,
            path: withQuery(path, credential.query),
            method: request.method ?? 'GET',
            headers: requestHeaders(request.rawHeaders, request.headers, credential.headers, input.credential),
            body: body?.open() ?? null,
          },
          {
            request,
            response,
            async again() {
              // Asked in any case: what the provider says of the credential is worth knowing.
              const isThereAnother = await live.refused(credential.generation, { signal }).catch((error: unknown) => {
                if (!(error instanceof CredentialUnavailable)) input.log.warn({ err: error }, 'a 401 is not reported')
                return false
              })
              return isThereAnother && !isLast && (body?.canBeSentAgain ?? true)
            },
            added(status, headers) {
              const added = ['X-Mortise-Request-Id', requestId]
              if (status !== 401 && status < 500)
                live
                  .succeeded(credential.generation)
                  .catch((error: unknown) => input.log.warn({ err: error }, 'a use of a connection is not reported'))
              if (status !== 429 || !throttles) return added
              const until = waits.asked(live.projectId, live.id, headerIn(headers, 'retry-after'))
              return [...added, ...Object.entries(throttleHeaders(until)).flat()]
            },
          },
        )
        if (passed !== 'again') return { out: body?.bytes ?? 0, in: passed === 'left' ? 0 : passed.bytes }
      }
    } finally {
      response.off('close', leave)
      places.release()
    }
  }
}

function headerIn(headers: Buffer[], name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2)
    if (headers[at]?.toString('latin1').toLowerCase() === name) return headers[at + 1]?.toString('latin1')
  return undefined
}
