import { checkHealth, customScheme } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import {
  type ConnectionHandles,
  classifyFailure,
  openProviderAccess,
  type ProviderAccess,
} from '../../provider-calls/calls/index.ts'
import { type CheckResult, failedCheck } from './check-outcome.ts'
import type { ConnectionHooks } from './hooks.ts'
import { learnProviderValues } from './learn-provider-values.ts'
import { keepCheck } from './store.ts'

export type VerifyServices = {
  outbound: Outbound
  connectionHandles: ConnectionHandles
  now: () => Date
  hooks: ConnectionHooks
}

/**
 * Asks the provider whether a connection's credential is good, moves its status, and keeps what the check found; and,
 * where its file says so, asks for what is to be known of the account. Where the provider has no such question, or its
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
  const keep = async ({ outcome, reason, mayChange }: CheckResult) => {
    await keepCheck(db, access.connection, { outcome, reason })
    return !mayChange
  }
  try {
    access = await openAuthenticated(db, services, connectionId, signal)
    const { entry, context, http } = access
    const check = checkHealth(entry, context, http, { signal, now: () => services.now().getTime() })
    // A token that was had with the inputs proves them; what is sent as it was given proves nothing before it is used.
    if (check === undefined && customScheme(entry)?.token === undefined) {
      const reason = `${entry.displayName} has no health check, so the credential was not tested.`
      return await keep({ outcome: 'notChecked', reason, mayChange: false })
    }
    await check
  } catch (error) {
    const failed = failedCheck(error, signal)
    if (failed === undefined) throw error
    const { connectionWaitMs } = failed.failure
    if (connectionWaitMs !== undefined) await access.connection.waitFor(connectionWaitMs)
    return await keep(failed)
  }
  await access.connection.succeeded()
  return await keep({ outcome: 'works', mayChange: false })
}

/**
 * Opens a connection whose first token is there: what was imported as a refresh token or as a grant has none until now.
 * The answer of the token endpoint and the provider itself may tell of the account what becomes part of its address; it
 * is opened anew then.
 */
async function openAuthenticated(
  db: ProjectDb,
  services: VerifyServices,
  connectionId: string,
  signal: AbortSignal,
): Promise<ProviderAccess> {
  let access = await openProviderAccess(db, services, connectionId)
  const reopen = () => {
    services.connectionHandles.forget(db.projectId, connectionId)
    return openProviderAccess(db, services, connectionId)
  }
  try {
    await access.context.credential.authenticate({ signal })
  } catch (error) {
    // The connection was changed meanwhile.
    if (classifyFailure(error).retryAfterMs !== 0) throw error
    access = await reopen()
  }
  return (await learnProviderValues(db, services, access, signal)) ? reopen() : access
}
