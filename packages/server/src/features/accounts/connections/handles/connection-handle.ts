import { withAppValues } from '@mortise/providers'
import type { SharedLimits } from '../../../../kernel/rate-limits/index.ts'
import {
  type ConnectionHandle,
  CredentialRefused,
  CredentialUnavailable,
  providerRateLimiter,
  type ReportedConnection,
} from '../../../provider-calls/calls/index.ts'
import { renewalNeed } from '../../tokens/index.ts'
import { reportUse } from '../report-use.ts'
import { setRateLimitedUntil } from '../store.ts'
import type { NodeState } from './node-state.ts'
import { type RenewServices, rememberedFailure } from './renew-credential.ts'
import type { Snapshot } from './snapshot.ts'

/** If the provider refuses a token that was renewed this recently, another renewal will not help. */
const freshMs = 60_000

/**
 * Creates a handle on a connection. It contains no credential: it reads the connection's snapshot on each use, so a
 * handle that is kept for hours still sends the current credential.
 */
export function createConnectionHandle(
  services: RenewServices & { limits: SharedLimits },
  state: NodeState,
  opened: Snapshot,
): ConnectionHandle {
  const { database, now, log } = services
  const { projectId } = opened
  const { connection_id: id, group_ref: groupRef } = opened.row
  const db = database.forProject(projectId)
  const peek = state.snapshots.peekAt(projectId, id)
  const renew = ({ row }: Snapshot) =>
    state.renew({ projectId, connectionId: id, generation: row.generation, why: 'use' })

  async function current(): Promise<Snapshot> {
    const snapshot = peek() ?? (await state.snapshots.get(projectId, id))
    // The new credential must not be sent to the old address.
    if (snapshot !== opened && snapshot.target !== opened.target)
      throw new CredentialUnavailable('The connection was changed meanwhile.', { retryAfterMs: 0 })
    return snapshot
  }

  async function report(snapshot: Snapshot, outcome: 'succeeded' | 'credentials', reason?: string): Promise<void> {
    const known = { id, status: snapshot.status, generation: snapshot.row.generation }
    await reportUse(db, services, known, outcome, { reason })
    snapshot.status = known.status
  }

  return {
    projectId,
    id,
    groupRef,
    entry: opened.entry,
    context: opened.context,
    get status() {
      return (peek() ?? opened).status
    },
    get generation() {
      return (peek() ?? opened).row.generation
    },
    get rateLimitedUntil() {
      return (peek() ?? opened).rateLimitedUntil
    },
    async waitUntil(until) {
      const snapshot = peek() ?? opened
      if (snapshot.rateLimitedUntil !== undefined && snapshot.rateLimitedUntil >= until) return
      snapshot.rateLimitedUntil = until
      await setRateLimitedUntil(db, id, until)
    },
    report: (known, outcome, refusal) =>
      keepingStatus(peek, known, () => reportUse(db, services, known, outcome, refusal)),

    costBudget: state.costBudget(projectId, id),
    rateLimiter: providerRateLimiter(services, { projectId, connectionId: id, entry: opened.entry }),

    async authenticate({ signal } = {}) {
      const snapshot = await current()
      const need = snapshot.isRenewable ? renewalNeed(snapshot.token, now()) : 'none'
      if (need === 'none') return await complete(state, snapshot)
      const failure = rememberedFailure(snapshot.row, now())
      if (need === 'soon') {
        if (!failure)
          renew(snapshot).catch((error: unknown) =>
            log.debug({ err: error }, 'failed to renew a token that is still valid'),
          )
        return await complete(state, snapshot)
      }
      if (failure) {
        // A process may have ended between storing the refusal and reporting it. Report it here.
        if (failure instanceof CredentialRefused && snapshot.status !== 'bad_credentials')
          await report(snapshot, 'credentials')
        throw failure
      }
      await unlessAborted(renew(snapshot), signal)
      return await complete(state, await current())
    },

    attached() {
      const snapshot = peek()
      if (snapshot === undefined || (snapshot !== opened && snapshot.target !== opened.target)) return undefined
      if (snapshot.isRenewable && renewalNeed(snapshot.token, now()) !== 'none') return undefined
      return completeIfKnown(state, snapshot)
    },

    async refused(generation, { signal, reason } = {}) {
      const snapshot = await current()
      if (snapshot.row.generation !== generation) return snapshot.attached !== undefined
      const { renew_time: renewed } = snapshot.row
      const fresh = renewed !== null && now().getTime() - renewed.getTime() < freshMs && snapshot.status === 'created'
      if (snapshot.isRenewable && snapshot.status !== 'bad_credentials' && !fresh) {
        const failure = rememberedFailure(snapshot.row, now())
        if (failure instanceof CredentialUnavailable) throw failure
        try {
          if (!failure) await unlessAborted(renew(snapshot), signal)
        } catch (error) {
          if (error instanceof CredentialRefused) return false
          throw error
        }
        const next = await current()
        if (next.row.generation !== generation) return next.attached !== undefined
      }
      await report(snapshot, 'credentials', reason)
      return false
    },

    async succeeded(generation) {
      const snapshot = await current()
      if (snapshot.status === 'working' || snapshot.row.generation !== generation) return
      await report(snapshot, 'succeeded')
    },
  }
}

/**
 * Reports an outcome, and keeps the status in the cached snapshot: a use that begins before the notification arrives
 * must not take it for unchanged.
 */
async function keepingStatus(
  peek: () => Snapshot | undefined,
  known: ReportedConnection,
  report: () => Promise<void>,
): Promise<void> {
  const [before, snapshot] = [known.status, peek()]
  await report()
  if (known.status === before || snapshot === undefined || snapshot !== peek()) return
  if (snapshot.row.generation === known.generation) snapshot.status = known.status
}

/** Returns what requests send: the credential, and the settings of the provider app. @throws AppIncomplete */
async function complete({ appValues }: NodeState, snapshot: Snapshot) {
  const { entry, context } = snapshot
  const attached = attachedTo(snapshot)
  return entry.appValues === undefined
    ? attached
    : withAppValues(entry, attached, await appValues.get(appOf(snapshot)), context)
}

/** The same without awaiting anything; undefined if something is not known. */
function completeIfKnown({ appValues }: NodeState, snapshot: Snapshot) {
  const { entry, context, attached } = snapshot
  if (entry.appValues === undefined || attached === undefined) return attached
  const values = appValues.peek(appOf(snapshot))
  return values && withAppValues(entry, attached, values, context)
}

function appOf({ projectId, entry, row }: Snapshot) {
  return { projectId, entry, appId: row.provider_app_id }
}

function attachedTo({ attached }: Snapshot) {
  if (attached) return attached
  throw new CredentialRefused('The connection has no access token, and nothing to get one with.')
}

/** Rejects when the signal aborts. The work continues, because other callers wait for it, too. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
