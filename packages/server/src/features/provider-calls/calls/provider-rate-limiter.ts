import type { ProviderEntry, RateLimit } from '@mortise/providers'
import { JointRateLimiter, type RateLimiter, type SharedLimits } from '../../../kernel/rate-limits/index.ts'

/**
 * Answers what a request of this method takes its turn under. Ask anew before each one: what nobody uses is forgotten.
 */
export type RateLimiterOf = (method: string) => RateLimiter | undefined

/**
 * The rate limits that a provider's file declares, as all nodes keep them together, for whatever they send: each for
 * every connection, or for all of a project's. Undefined where none applies.
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

/** By the method alone: of what the proxy passes on, nothing else is known. */
function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** The narrower a limit, the sooner it comes: see `JointRateLimiter`. */
function reach(limit: RateLimit): number {
  return (limit.per === 'app' ? 2 : 0) + (limit.for === undefined ? 1 : 0)
}
