import { ProviderError, type ProviderHttp } from '@mortise/providers'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { Pace } from '../../../kernel/rate-limits/index.ts'
import type { PaceOf } from './live/provider-pace.ts'
import { TurnNotInTime } from './turn-not-in-time.ts'

const timeoutMs = 30_000
const answerBytesMax = 25 * 1024 * 1024

/** How long a request waits for its turn: somebody waits for the answer, or nobody does. */
const urgentMs = 10_000
const patientMs = 60_000

export interface ProviderHttpOptions {
  outbound: Outbound
  now: () => Date
  /** Whose connection it is: look-ups of unknown names are limited by project. */
  project: string
  /** When the wait that the provider asked for ends, asked before each request. */
  rateLimitedUntil?: () => Date | undefined
  /** The provider's rate limits, asked for before each request. */
  pace?: PaceOf
  /** Work in the background: it gives way to what somebody waits for, and waits longer itself. */
  isPatient?: boolean
}

/**
 * How a connector speaks to its provider: through the address guard, within 30 s and 25 MB an answer, and in its turn
 * under the provider's rate limit. While the provider has asked the connection to wait, it is not asked: the request
 * fails as `rate_limited` at once. Network failures are `OutboundError`s.
 */
export function createProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  const { outbound, now, project, rateLimitedUntil, pace, isPatient = false } = options
  function assertNotLimited(): void {
    const waitMs = (rateLimitedUntil?.()?.getTime() ?? 0) - now().getTime()
    if (waitMs > 0)
      throw new ProviderError('rate_limited', 'The provider asked to wait before the next request.', {
        retryAfterMs: waitMs,
      })
  }
  async function takeTurn(limit: Pace, signal: AbortSignal | undefined): Promise<void> {
    // Two turns of a very slow limit at least: what takes two requests would otherwise never be done.
    const waitMs = isPatient ? Math.max(patientMs, 2 * limit.intervalMs) : urgentMs
    if (await limit.take(waitMs, { signal, isPatient })) return
    signal?.throwIfAborted()
    throw new TurnNotInTime(Math.ceil(Math.max(1_000, limit.waitMs({ isPatient }))))
  }
  return async ({ method, url, headers, body, signal }) => {
    assertNotLimited()
    const limit = pace?.(method)
    if (limit) {
      await takeTurn(limit, signal)
      assertNotLimited()
    }
    const answer = await outbound.request({
      method,
      url,
      headers: { 'accept-encoding': 'gzip', ...headers },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      project,
      timeoutMs,
      maxBytes: answerBytesMax,
    })
    return { status: answer.status, headers: answer.headers, body: answer.body.toString('utf8') }
  }
}
