import type { ProviderEntry, RateLimit } from '@mortise/providers'
import { JointRateLimiter, type RateLimiter, type SharedLimits } from '../../../kernel/rate-limits/index.ts'

/** Returns the rate limiter for requests of this method. Call it before each request: unused limiters are dropped. */
export type RateLimiterOf = (method: string) => RateLimiter | undefined

/**
 * Returns the rate limits that a provider's file declares, shared by all nodes and all kinds of requests. A limit
 * applies to each connection, or to all connections of a project. Returns undefined if none applies.
 */
export function providerRateLimiter(
  { limits }: { limits: SharedLimits },
  of: { projectId: string; connectionId: string; entry: ProviderEntry },
): RateLimiterOf {
  const { rateLimits = [], name } = of.entry
  function limiterFor(kind: 'read' | 'write'): () => RateLimiter | undefined {
    const each = rateLimits
      .filter((limit) => (limit.for ?? kind) === kind)
      .toSorted((one, other) => reach(one) - reach(other))
      .map((limit) => {
        const whose = limit.per === 'app' ? `app:${name}` : of.connectionId
        const limitName = `pace:${whose}:${limit.for ?? 'all'}:${limit.perSeconds}`
        return () => limits.rateLimiter(of.projectId, limitName, limit.requests, limit.perSeconds)
      })
    if (each.length < 2) return () => each[0]?.()
    const joint = new JointRateLimiter(each)
    return () => joint
  }
  const [reads, writes] = [limiterFor('read'), limiterFor('write')]
  return (method) => (isRead(method) ? reads() : writes())
}

/** Decides by the method alone, because nothing else is known about proxied requests. */
function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Orders limits, the narrower ones first: see `JointRateLimiter`. */
function reach(limit: RateLimit): number {
  return (limit.per === 'app' ? 2 : 0) + (limit.for === undefined ? 1 : 0)
}
