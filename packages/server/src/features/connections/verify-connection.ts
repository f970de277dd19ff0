import { checkHealth, InvalidInputs, ProviderError } from '@mortise/providers'
import type { ProjectDb } from '../../kernel/db/index.ts'
import type { Services } from '../../services.ts'
import { openProviderAccess } from './open-connector.ts'
import { rateLimited, reportUse } from './report-use.ts'

export type VerifyServices = Pick<Services, 'outbound' | 'liveConnections' | 'now' | 'hooks'>

/**
 * Asks the provider whether a connection's credential is good, and moves its status. Where the provider has no such question, or its
 * answer says nothing about the credential, the status stays.
 *
 * @returns false when asking again later may tell more (the provider was away, overloaded, or out of reach)
 * @throws ConnectionNotFound when it was deleted meanwhile
 */
export async function verifyConnection(
  db: ProjectDb,
  services: VerifyServices,
  connectionId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { entry, context, http, connection } = await openProviderAccess(db, services, connectionId)
  try {
    // Where there is no health check either: what was imported as a refresh token, or as a grant, gets its first token.
    await context.credential.authenticate({ signal })
    const check = checkHealth(entry, context, http, { signal, now: () => services.now().getTime() })
    if (check === undefined) return true
    await check
  } catch (error) {
    if (error instanceof InvalidInputs) return true
    if (!(error instanceof ProviderError)) {
      if (error instanceof Error && (error.name === 'OutboundError' || signal.aborted)) return false
      throw error
    }
    if (error.class === 'rate_limited' && error.retryAfterMs !== undefined)
      await rateLimited(db, connection, new Date(services.now().getTime() + error.retryAfterMs))
    return error.class !== 'rate_limited' && error.class !== 'provider_5xx'
  }
  await reportUse(db, services, connection, 'succeeded')
  return true
}
