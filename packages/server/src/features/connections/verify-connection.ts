import { checkHealth, customScheme, InvalidInputs, ProviderError } from '@mortise/providers'
import type { ProjectDb } from '../../kernel/db/index.ts'
import type { Services } from '../../services.ts'
import { learnProviderValues } from './learn-provider-values.ts'
import { openProviderAccess, type ProviderAccess } from './open-connector.ts'
import { askedToWait, reportUse } from './report-use.ts'

export type VerifyServices = Pick<Services, 'outbound' | 'liveConnections' | 'now' | 'hooks'>

/**
 * Asks the provider whether a connection's credential is good, and moves its status; and, where its file says so, for what is to be known
 * of the account. Where the provider has no such question, or its
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
  let access = await openProviderAccess(db, services, connectionId)
  try {
    access = await openAuthenticated(db, services, connectionId, signal)
    const { entry, context, http } = access
    const check = checkHealth(entry, context, http, { signal, now: () => services.now().getTime() })
    // A token that was had with the inputs proves them; what is sent as it was given proves nothing before it is used.
    if (check === undefined && customScheme(entry)?.token === undefined) return true
    await check
  } catch (error) {
    if (error instanceof InvalidInputs) return true
    if (!(error instanceof ProviderError)) {
      if (error instanceof Error && (error.name === 'OutboundError' || signal.aborted)) return false
      throw error
    }
    await askedToWait(db, services, access.connection, error)
    return error.class !== 'rate_limited' && error.class !== 'provider_5xx'
  }
  await reportUse(db, services, access.connection, 'succeeded')
  return true
}

/**
 * Opens a connection whose first token is there: what was imported as a refresh token or as a grant has none until now. The answer of the
 * token endpoint and the provider itself may tell of the account what becomes part of its address; it is opened anew then.
 */
async function openAuthenticated(
  db: ProjectDb,
  services: VerifyServices,
  connectionId: string,
  signal: AbortSignal,
): Promise<ProviderAccess> {
  let access = await openProviderAccess(db, services, connectionId)
  const reopen = () => {
    services.liveConnections.forget(db.projectId, connectionId)
    return openProviderAccess(db, services, connectionId)
  }
  try {
    await access.context.credential.authenticate({ signal })
  } catch (error) {
    const isChanged = error instanceof ProviderError && error.retryAfterMs === 0
    if (!isChanged) throw error
    access = await reopen()
  }
  return (await learnProviderValues(db, services, access, signal)) ? reopen() : access
}
