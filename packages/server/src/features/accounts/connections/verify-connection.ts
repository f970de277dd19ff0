import { checkHealth, customScheme } from '@mortise/providers'
import { type Batched, createBatches, type ProjectDb } from '../../../kernel/db/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import {
  type ConnectionHandles,
  classifyFailure,
  openProviderAccess,
  type ProviderAccess,
} from '../../provider-calls/calls/index.ts'
import { hasNeededScopes } from '../credentials/index.ts'
import { type CheckResult, failedCheck } from './check-outcome.ts'
import type { ConnectionHooks } from './hooks.ts'
import { learnProviderValues } from './learn-provider-values.ts'
import { keepCheck, keepSuccesses } from './store.ts'

export type VerifyServices = {
  outbound: Outbound
  connectionHandles: ConnectionHandles
  now: () => Date
  hooks: ConnectionHooks
}

type KeepSuccess = Batched<{ db: ProjectDb; id: string; generation: number }, boolean>

/** Those of each node in this process. */
const successes = new WeakMap<ConnectionHandles, KeepSuccess>()

/** Checks that end together share a statement. */
function successesOf({ connectionHandles }: VerifyServices): KeepSuccess {
  const known = successes.get(connectionHandles)
  if (known) return known
  const made: KeepSuccess = createBatches({
    itemsMax: 20,
    async run(_, ended) {
      const [first] = ended
      const ids = first ? await keepSuccesses(first.db, ended) : new Set()
      return ended.map(({ id }) => ids.has(id))
    },
  })
  successes.set(connectionHandles, made)
  return made
}

/** Result of one check. */
interface Checked {
  mayChange: boolean
  generation: number
  /** False if the credential was replaced meanwhile. */
  isKept: boolean
}

/**
 * Checks a connection's credential with the provider, moves its status, and stores the result of the check. Requests
 * further values of the account if the provider's file lists any. The status stays if the provider has no health check,
 * or its response does not prove or refuse the credential.
 *
 * A credential that replaces another one during the check is checked, too: its own job is skipped if this one still
 * waited when the change enqueued it, and may have begun before the change committed.
 *
 * @returns false if a later check may give another result (the provider was down, overloaded or unreachable)
 * @throws ConnectionNotFound if it was deleted meanwhile
 */
export async function verifyConnection(
  db: ProjectDb,
  services: VerifyServices,
  connectionId: string,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const { mayChange, generation, isKept } = await checkOnce(db, services, connectionId, signal)
    if (isKept) return !mayChange
    services.connectionHandles.forget(db.projectId, connectionId)
    const { connection } = await openProviderAccess(db, services, connectionId)
    if (connection.generation === generation) return !mayChange
  }
}

async function checkOnce(
  db: ProjectDb,
  services: VerifyServices,
  connectionId: string,
  signal: AbortSignal,
): Promise<Checked> {
  let access = await openProviderAccess(db, services, connectionId)
  const keep = async ({ outcome, reason, mayChange }: CheckResult): Promise<Checked> => {
    const isKept = await keepCheck(db, access.connection, { outcome, reason })
    return { mayChange, generation: access.connection.generation, isKept }
  }
  try {
    access = await openAuthenticated(db, services, connectionId, signal)
    const { entry, context, http } = access
    const check = checkHealth(entry, context, http, { signal, now: () => services.now().getTime() })
    // A token that was issued for the inputs proves them. Inputs that requests send directly prove nothing before the
    // first request.
    if (check === undefined && customScheme(entry)?.token === undefined) {
      const reason = `${entry.displayName} has no health check, so the credential was not tested.`
      return await keep({ outcome: 'notChecked', reason, mayChange: false })
    }
    await check
  } catch (error) {
    const failed = failedCheck(error, signal)
    if (failed === undefined) throw error
    const { connectionWaitMs, missingScopes } = failed.failure
    if (connectionWaitMs !== undefined) await access.connection.waitFor(connectionWaitMs)
    if (missingScopes) await access.connection.failed(failed.failure)
    return await keep(failed)
  }
  const { generation } = access.connection
  if (await successesOf(services)(db.projectId, { db, id: connectionId, generation })) {
    access.connection.status = 'working'
    return { mayChange: false, generation, isKept: true }
  }
  await access.connection.succeeded()
  // The credential is valid, but the account must still grant scopes: what said so stays.
  if (await hasNeededScopes(db, connectionId)) return { mayChange: false, generation, isKept: true }
  return await keep({ outcome: 'works', mayChange: false })
}

/**
 * Opens a connection and gets its first token: an imported refresh token or grant has no access token yet. The token
 * endpoint and the provider may return account values that are part of the address. If so, it opens the connection
 * again.
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
