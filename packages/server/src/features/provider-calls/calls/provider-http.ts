import { ProviderError, type ProviderHttp } from '@mortise/providers'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { RateLimiter } from '../../../kernel/rate-limits/index.ts'
import type { RateLimiterOf } from './provider-rate-limiter.ts'
import { RateLimitTimeout } from './rate-limit-timeout.ts'

const timeoutMs = 30_000
const answerBytesMax = 25 * 1024 * 1024

/** How long a request waits for its turn: somebody waits for the answer, or nobody does. */
const interactiveMs = 10_000
const backgroundMs = 60_000

export interface ProviderHttpOptions {
  outbound: Outbound
  now: () => Date
  /** Whose connection it is: look-ups of unknown names are limited by project. */
  project: string
  /** When the wait that the provider asked for ends, asked before each request. */
  rateLimitedUntil?: () => Date | undefined
  /** The provider's rate limits, asked for before each request. */
  rateLimiter?: RateLimiterOf
  /** Work in the background: it gives way to what somebody waits for, and waits longer itself. */
  isBackground?: boolean
}

/**
 * How a connector speaks to its provider: through the address guard, within 30 s and 25 MB an answer, and in its turn
 * under the provider's rate limit. While the provider has asked the connection to wait, it is not asked: the request
 * fails as `rate_limited` at once. Network failures are `OutboundError`s.
 */
export function createProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  const { outbound, now, project, rateLimitedUntil, rateLimiter, isBackground = false } = options
  function assertNotLimited(): void {
    const waitMs = (rateLimitedUntil?.()?.getTime() ?? 0) - now().getTime()
    if (waitMs > 0)
      throw new ProviderError('rate_limited', 'The provider asked to wait before the next request.', {
        retryAfterMs: waitMs,
      })
  }
  async function takeTurn(limit: RateLimiter, signal: AbortSignal | undefined): Promise<void> {
    // Two turns of a very slow limit at least: what takes two requests would otherwise never be done.
    const waitMs = isBackground ? Math.max(backgroundMs, 2 * limit.intervalMs) : interactiveMs
    if (await limit.take(waitMs, { signal, isBackground })) return
    signal?.throwIfAborted()
    throw new RateLimitTimeout(Math.ceil(Math.max(1_000, limit.waitMs({ isBackground }))))
  }
  return async ({ method, url, headers, body, signal }) => {
    assertNotLimited()
    const limit = rateLimiter?.(method)
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
