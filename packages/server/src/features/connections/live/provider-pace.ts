import type { ProviderEntry } from '@mortise/providers'
import type { PaceLimit } from '../../../kernel/limits/index.ts'
import type { Services } from '../../../services.ts'

/**
 * The rate limit that a provider's file declares, as all nodes keep it together, for whatever they send: one for each connection, or
 * one for all of a project's. Undefined where none is declared. Ask anew before each use: one that nobody uses is forgotten.
 */
export function providerPace(
  { limits }: Pick<Services, 'limits'>,
  of: { projectId: string; connectionId: string; entry: ProviderEntry },
): PaceLimit | undefined {
  const { rateLimit, name } = of.entry
  if (!rateLimit) return undefined
  const limit = rateLimit.per === 'app' ? `pace:app:${name}` : `pace:${of.connectionId}`
  return limits.pace(of.projectId, limit, rateLimit.requests, rateLimit.perSeconds)
}
