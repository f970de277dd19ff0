import { ProviderError } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Services } from '../../../services.ts'
import { credentialGeneration } from './credential-store.ts'
import { nextStatus } from './model.ts'
import type { OpenedConnection } from './open-connector.ts'
import { findRateLimitedUntil, lockConnection, setRateLimitedUntil, setStatus, statusOf } from './store.ts'
import { TurnNotInTime } from './turn-not-in-time.ts'

/**
 * Tells how the use of a connection went; its status follows (`nextStatus`), and the hook `connectionStatusChanged`
 * runs in the same transaction. Costs no statement where the opened connection is known to have that status already,
 * one where only its id is given. A report about a credential that was replaced meanwhile says nothing about the new
 * one, and is dropped.
 *
 * @param connection the opened connection, or its id
 * @param outcome `succeeded`: the provider answered a request; `credentials`: it refused the credential
 */
export async function reportUse(
  db: ProjectDb,
  { hooks }: Pick<Services, 'hooks'>,
  connection: Pick<OpenedConnection, 'id' | 'status' | 'generation'> | string,
  outcome: 'succeeded' | 'credentials',
): Promise<void> {
  const opened = typeof connection === 'string' ? undefined : connection
  const id = typeof connection === 'string' ? connection : connection.id
  const known = opened?.status ?? (await statusOf(db, id))
  if (known === undefined || nextStatus(known, outcome) === known) return
  const reached = await db.transaction(async (tx) => {
    const from = await lockConnection(tx, id)
    if (from === undefined) return undefined
    const to = nextStatus(from, outcome)
    if (to === from) return to
    // Asked after the lock: a new credential is written under it.
    if (opened !== undefined && (await credentialGeneration(tx, id)) !== opened.generation) return from
    await setStatus(tx, id, to)
    await hooks.connectionStatusChanged(tx, { connectionId: id, from, to })
    return to
  })
  if (opened !== undefined && reached !== undefined) opened.status = reached
}

/** Remembers that the provider wants no requests of this connection until then; whoever opens it later waits too. */
export async function rateLimited(db: ProjectDb, connection: OpenedConnection | string, until: Date): Promise<void> {
  if (typeof connection === 'string') return setRateLimitedUntil(db, connection, until)
  const known = connection.rateLimitedUntil
  if (known !== undefined && known >= until) return
  connection.rateLimitedUntil = until
  await setRateLimitedUntil(db, connection.id, until)
}

/**
 * How long the provider asks all requests of the connection to wait, where an error says so. A turn that we had none of
 * says nothing of that.
 */
export function askedToWaitMs(error: unknown): number | undefined {
  if (!(error instanceof ProviderError) || error instanceof TurnNotInTime) return undefined
  return error.class === 'rate_limited' ? error.retryAfterMs : undefined
}

/** Remembers what an error says of waiting, if it does. */
export async function askedToWait(
  db: ProjectDb,
  { now }: Pick<Services, 'now'>,
  connection: OpenedConnection,
  error: unknown,
): Promise<void> {
  const waitMs = askedToWaitMs(error)
  if (waitMs !== undefined) await rateLimited(db, connection, new Date(now().getTime() + waitMs))
}

/** Until when the provider wants no requests of this connection; a time in the past, or none, when it takes them. */
export async function rateLimitedUntil(db: ProjectDb, connectionId: string): Promise<Date | undefined> {
  return findRateLimitedUntil(db, connectionId)
}
