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
 * Deletes installations, and their connections where no other installation uses them; answers the ids of the
 * installations. Operations that still run end as failed; messages that were posted are still delivered. A number of
 * statements that does not grow with the number of installations.
 *
 * Locks are taken in the order of all that meet here, so that none waits in a circle: connections (a change of their
 * status goes on to their installations), installations (without refusing the key shares that a claim of due reads
 * takes while it holds their states), read states, runs, operations; then come messages, which wait for others that
 * post to the same destination.
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
  // One that was moved to another connection in between brings that one along: rare, so its late lock is no worry.
  const moved = installations.map(({ connectionId }) => connectionId).filter((id) => !expected.includes(id))
  if (moved.length > 0) await lockConnections(tx, { ids: moved })

  await services.hooks.installationsLocking(tx, { installationIds: ids })
  await endOperationsOf(tx, ids, 'The installation was deleted.')
  await services.hooks.installationsDeleting(tx, { installationIds: ids })
  await deleteInstallationRows(tx, ids)
  await deleteUnusedConnections(tx, services, [...new Set(installations.map(({ connectionId }) => connectionId))])
  return ids
}
