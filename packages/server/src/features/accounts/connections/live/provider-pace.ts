import type { ProviderEntry, RateLimit } from '@mortise/providers'
import { JointPace, type Pace } from '../../../../kernel/rate-limits/index.ts'
import type { Services } from '../../../../services.ts'

/**
 * Answers what a request of this method takes its turn under. Ask anew before each one: what nobody uses is forgotten.
 */
export type PaceOf = (method: string) => Pace | undefined

/**
 * The rate limits that a provider's file declares, as all nodes keep them together, for whatever they send: each for
 * every connection, or for all of a project's. Undefined where none applies.
 */
export function providerPace(
  { limits }: Pick<Services, 'limits'>,
  of: { projectId: string; connectionId: string; entry: ProviderEntry },
): PaceOf {
  const { rateLimits = [], name } = of.entry
  function paceFor(kind: 'read' | 'write'): () => Pace | undefined {
    const each = rateLimits
      .filter((limit) => (limit.for ?? kind) === kind)
      .toSorted((one, other) => reach(one) - reach(other))
      .map((limit) => {
        const whose = limit.per === 'app' ? `app:${name}` : of.connectionId
        const limitName = `pace:${whose}:${limit.for ?? 'all'}:${limit.perSeconds}`
        return () => limits.pace(of.projectId, limitName, limit.requests, limit.perSeconds)
      })
    if (each.length < 2) return () => each[0]?.()
    const joint = new JointPace(each)
    return () => joint
  }
  const [reads, writes] = [paceFor('read'), paceFor('write')]
  return (method) => (isRead(method) ? reads() : writes())
}

/** By the method alone: of what the proxy passes on, nothing else is known. */
function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** The narrower a limit, the sooner it comes: see `JointPace`. */
function reach(limit: RateLimit): number {
  return (limit.per === 'app' ? 2 : 0) + (limit.for === undefined ? 1 : 0)
}
