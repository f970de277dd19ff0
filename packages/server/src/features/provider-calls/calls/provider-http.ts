import type { Readable } from 'node:stream'
import { ProviderError, type ProviderHttp, sendableUrl } from '@mortise/providers'
import type { Outbound } from '../../../kernel/net/index.ts'
import type { RateLimiter } from '../../../kernel/rate-limits/index.ts'
import { answerText } from './answer-text.ts'
import type { RateLimiterOf } from './provider-rate-limiter.ts'
import { RateLimitTimeout } from './rate-limit-timeout.ts'

const timeoutMs = 30_000
const answerBytesMax = 25 * 1024 * 1024
/** A streamed body is never in memory as a whole. A longer download continues with another request. */
const streamTimeoutMs = 10 * 60_000
const streamBytesMax = 64 * 1024 ** 3

/** How long a request waits for a permit of the rate limiter, for interactive and for background work. */
const interactiveMs = 10_000
const backgroundMs = 60_000

/** A request that was sent, and what came back. */
export interface SentRequest {
  method: string
  url: string
  /** Undefined when no whole response came. */
  status: number | undefined
  ms: number
  /** Length of the response's body. */
  bytes: number
}

export interface ProviderHttpOptions {
  outbound: Outbound
  now: () => Date
  /** Project of the connection. Lookups of unknown names are limited by project. */
  project: string
  /** Returns when the wait that the provider requested ends; called before each request. */
  rateLimitedUntil?: () => Date | undefined
  /** Returns the provider's rate limiter; called before each request. */
  rateLimiter?: RateLimiterOf
  /** Background work: it yields to interactive requests, and waits longer itself. */
  isBackground?: boolean
  /** Called after each request that was sent. */
  sent?: (request: SentRequest) => void
}

/**
 * Creates the HTTP client of a connector. Requests go through the address guard, take a permit of the provider's rate
 * limiter, and are limited to 30 s and 25 MB per response; streamed ones to 10 minutes. A URL that is too long is not
 * sent, whatever made it. While the provider wants no requests of the connection, they fail immediately as
 * `rate_limited`. Network failures are `OutboundError`s.
 */
export function createProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  const { outbound, now, project, rateLimitedUntil, rateLimiter, isBackground = false, sent } = options
  function assertNotLimited(): void {
    const waitMs = (rateLimitedUntil?.()?.getTime() ?? 0) - now().getTime()
    if (waitMs > 0)
      throw new ProviderError('rate_limited', 'The provider asked to wait before the next request.', {
        retryAfterMs: waitMs,
      })
  }
  async function acquirePermit(limit: RateLimiter, signal: AbortSignal | undefined): Promise<void> {
    // At least two intervals of a very slow limit: otherwise work that takes two requests would never finish.
    const waitMs = isBackground ? Math.max(backgroundMs, 2 * limit.intervalMs) : interactiveMs
    if (await limit.take(waitMs, { signal, isBackground })) return
    signal?.throwIfAborted()
    throw new RateLimitTimeout(Math.ceil(Math.max(1_000, limit.waitMs({ isBackground }))))
  }
  return async ({ method, url, headers, body, signal, isRead, streams = false }) => {
    sendableUrl(url)
    assertNotLimited()
    const limit = rateLimiter?.({ method, url, ...(isRead !== undefined && { isRead }) })
    if (limit) {
      await acquirePermit(limit, signal)
      assertNotLimited()
    }
    const begun = performance.now()
    const report = (status: number | undefined, bytes: number) =>
      sent?.({ method, url, status, ms: performance.now() - begun, bytes })
    const failed = (error: unknown) => {
      if (!signal?.aborted) report(undefined, 0)
      throw error
    }
    const request = {
      method,
      url,
      // A part of a compressed body could not be read.
      headers: { 'accept-encoding': headers['range'] === undefined ? 'gzip' : 'identity', ...headers },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      project,
    }
    if (streams) {
      const limits = { timeoutMs: streamTimeoutMs, maxBytes: streamBytesMax }
      const { status, headers, body: stream } = await outbound.stream({ ...request, ...limits }).catch(failed)
      if (status >= 200 && status < 300) {
        let bytes = 0
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        stream.pause()
        stream.once('close', () => report(status, bytes))
        return { status, headers, body: '', stream }
      }
      return {
        status,
        headers,
        body: await refusal(stream)
          .catch(failed)
          .finally(() => report(status, 0)),
      }
    }
    const answer = await outbound.request({ ...request, timeoutMs, maxBytes: answerBytesMax }).catch(failed)
    report(answer.status, answer.body.length)
    const { status, headers: received } = answer
    return { status, headers: received, body: answerText(answer.body, received['content-type']) }
  }
}

/** An error in place of a stream is short; more of it says nothing. */
const refusalBytesMax = 64 * 1024

async function refusal(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= refusalBytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, refusalBytesMax).toString('utf8')
}
