import { Pattern, type ProviderEntry, type RateLimit } from '@mortise/providers'
import { JointRateLimiter, type RateLimiter, type SharedLimits } from '../../../kernel/rate-limits/index.ts'

/** What a limit may depend on. */
export interface LimitedRequest {
  method: string
  /** A URL or a path. Limits on some paths do not apply without it. */
  url?: string
  /** Whether the request only reads. Default: as its method says. */
  isRead?: boolean
}

/** Returns the rate limiter for this request. Call it before each request: unused limiters are dropped. */
export type RateLimiterOf = (request: LimitedRequest) => RateLimiter | undefined

/**
 * Returns the rate limits that a provider's file declares, shared by all nodes and all kinds of requests. A limit
 * applies to each connection, or to all connections of a project. Returns undefined if none applies.
 */
export function providerRateLimiter(
  { limits }: { limits: Pick<SharedLimits, 'rateLimiter'> },
  of: { projectId: string; connectionId: string; entry: Pick<ProviderEntry, 'name' | 'rateLimits'> },
): RateLimiterOf {
  const { rateLimits = [], name } = of.entry
  if (rateLimits.length === 0) return () => undefined
  const declared = rateLimits
    .toSorted((one, other) => reach(one) - reach(other))
    .map((limit) => {
      const whose = limit.per === 'app' ? `app:${name}` : of.connectionId
      const paths = limit.path === undefined ? '' : `:${limit.path}`
      const limitName = `pace:${whose}:${limit.for ?? 'all'}:${limit.perSeconds}${paths}`
      return {
        kind: limit.for,
        path: limit.path === undefined ? undefined : new Pattern(limit.path),
        limiter: () => limits.rateLimiter(of.projectId, limitName, limit.requests, limit.perSeconds),
      }
    })
  const hasPaths = declared.some(({ path }) => path !== undefined)
  const combined = new Map<string, () => RateLimiter | undefined>()
  return ({ method, url, isRead = isReadMethod(method) }) => {
    const path = hasPaths && url !== undefined ? new URL(url, 'http://provider.invalid').pathname : undefined
    const kind = isRead ? 'read' : 'write'
    const applies = declared.map(
      (limit) =>
        (limit.kind ?? kind) === kind && (limit.path === undefined || (path !== undefined && limit.path.test(path))),
    )
    const key = applies.join()
    const known = combined.get(key) ?? joint(declared.filter((_, at) => applies[at]).map(({ limiter }) => limiter))
    combined.set(key, known)
    return known()
  }
}

function joint(limiters: readonly (() => ReturnType<SharedLimits['rateLimiter']>)[]): () => RateLimiter | undefined {
  if (limiters.length < 2) return () => limiters[0]?.()
  const all = new JointRateLimiter(limiters)
  return () => all
}

/** Decides by the method alone, because nothing else is known about proxied requests. */
function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Orders limits, the narrower ones first: see `JointRateLimiter`. */
function reach(limit: RateLimit): number {
  return (limit.per === 'app' ? 4 : 0) + (limit.for === undefined ? 2 : 0) + (limit.path === undefined ? 1 : 0)
}
