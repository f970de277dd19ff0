import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { ConnectionStatus } from '../../../provider-calls/calls/index.ts'
import { hasNeededScopes } from '../../credentials/index.ts'
import type { ConnectionHooks } from '../hooks.ts'
import { type ConnectionEvent, nextStatus } from '../model.ts'
import { lockConnection, setStatus } from '../store.ts'

/**
 * Applies an event to a connection's status and calls the hook. Part of the caller's transaction. Returns undefined if
 * the connection does not exist.
 *
 * @param error the public reason of a status that became bad
 */
export async function moveStatus(
  tx: ProjectDb,
  { hooks }: { hooks: ConnectionHooks },
  id: string,
  event: ConnectionEvent,
  error?: string,
): Promise<ConnectionStatus | undefined> {
  const from = await lockConnection(tx, id)
  if (from === undefined) return undefined
  const to = nextStatus(from, event)
  if (to === from) return to
  // A renewed token grants no more than the one before.
  if (event === 'refreshed' && (await hasNeededScopes(tx, id))) return from
  await setStatus(tx, id, to, error)
  await hooks.connectionStatusChanged(tx, { connectionId: id, from, to, ...(error !== undefined && { error }) })
  return to
}
