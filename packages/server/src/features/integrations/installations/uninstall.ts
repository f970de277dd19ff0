import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type ConnectionHooks, deleteUnusedConnections, lockConnections } from '../../accounts/connections/index.ts'
import { endOperationsOf } from '../../platform/operations/index.ts'
import type { InstallationHooks } from './hooks.ts'
import {
  deleteInstallationRows,
  listConnectionsOf,
  lockInstallationsForDelete,
  type Uninstalled,
} from './uninstall-store.ts'

export type { Uninstalled } from './uninstall-store.ts'

/**
 * Deletes installations, and their connections where no other installation uses them. Returns the ids of the
 * installations. Running operations end as failed. Posted messages are still delivered. The number of statements does
 * not grow with the number of installations.
 *
 * Takes locks in the same order as all other transactions, so that they never deadlock:
 *
 * 1. Connections, because a change of their status also updates their installations.
 * 2. Installations, compatible with the key shares of a claim of due reads, which locks their states.
 * 3. Read states, runs and operations.
 * 4. Messages, which wait for other transactions that post to the same destination.
 */
export async function uninstall(
  tx: ProjectDb,
  services: { hooks: InstallationHooks & ConnectionHooks },
  which: Uninstalled,
): Promise<string[]> {
  const expected = await listConnectionsOf(tx, which)
  if (expected.length === 0) return []
  await lockConnections(tx, { ids: expected })
  const installations = await lockInstallationsForDelete(tx, which)
  if (installations.length === 0) return []
  const ids = installations.map(({ id }) => id)
  // An installation that was moved to another connection meanwhile adds that connection. This is rare, so locking it
  // late is acceptable.
  const moved = installations.map(({ connectionId }) => connectionId).filter((id) => !expected.includes(id))
  if (moved.length > 0) await lockConnections(tx, { ids: moved })

  await services.hooks.installationsLocking(tx, { installationIds: ids })
  await endOperationsOf(tx, ids, 'The installation was deleted.')
  await services.hooks.installationsDeleting(tx, { installationIds: ids })
  await deleteInstallationRows(tx, ids)
  await deleteUnusedConnections(tx, services, [...new Set(installations.map(({ connectionId }) => connectionId))])
  return ids
}
