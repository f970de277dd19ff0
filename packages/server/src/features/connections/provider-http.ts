import { ProviderError, type ProviderHttp } from '@mortise/providers'
import type { Outbound } from '../../kernel/net/index.ts'

const timeoutMs = 30_000
const answerBytesMax = 25 * 1024 * 1024

/**
 * How a connector speaks to its provider: through the address guard, within 30 s and 25 MB an answer. While the provider has asked
 * the connection to wait, it is not asked: the request fails as `rate_limited` at once. Network failures are `OutboundError`s.
 *
 * @param rateLimitedUntil when the wait ends, asked before each request
 */
export function createProviderHttp(
  outbound: Outbound,
  now: () => Date,
  rateLimitedUntil: () => Date | undefined,
): ProviderHttp {
  return async ({ method, url, headers, body, signal }) => {
    const waitMs = (rateLimitedUntil()?.getTime() ?? 0) - now().getTime()
    if (waitMs > 0)
      throw new ProviderError('rate_limited', 'The provider asked to wait before the next request.', {
        retryAfterMs: waitMs,
      })
    const answer = await outbound.request({
      method,
      url,
      headers: { 'accept-encoding': 'gzip', ...headers },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      timeoutMs,
      maxBytes: answerBytesMax,
    })
    return { status: answer.status, headers: answer.headers, body: answer.body.toString('utf8') }
  }
}
