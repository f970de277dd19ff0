import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { forgetAuthor, type InstallationHooks, uninstall } from '../../integrations/installations/index.ts'
import { eraseDestinationGroup } from '../../messaging/destinations/index.ts'
import { eraseConnectionEvents } from '../../platform/timelines/index.ts'
import { type ConnectionHooks, deleteUnusedConnections, lockConnections } from '../connections/index.ts'
import { deleteOwner, lockOwner, type Owner } from '../consumers/index.ts'
import type { ErasureHooks } from './hooks.ts'
import { finishErasure } from './job-references.ts'
import { insertErasure } from './store.ts'

/**
 * Deletes a group or a consumer with its installations and connections. A job that commits with it erases what may be
 * large: messages, operations, logs. Returns false if the group or consumer does not exist.
 *
 * Locks the ref's row first, as connecting does. A concurrent connection or installation either exists by then, or
 * finds the ref deleted.
 */
export async function erase(
  tx: ProjectDb,
  services: { hooks: InstallationHooks & ConnectionHooks & ErasureHooks; newId: NewId; queue: JobQueue; work: Work },
  owner: Owner,
): Promise<boolean> {
  if (!(await lockOwner(tx, owner))) return false
  // Create the id before posting the deletion's own messages: they get higher ids, so they are delivered.
  const id = services.newId()
  const connections = await lockConnections(tx, owner)
  const installationIds = await uninstall(tx, services, owner)
  await deleteUnusedConnections(tx, services, connections)
  await eraseConnectionEvents(tx, connections)
  await deleteOwner(tx, owner)
  const isGroup = 'groupRef' in owner
  if (isGroup) await eraseDestinationGroup(tx, owner.groupRef)
  else {
    await forgetAuthor(tx, owner.consumerRef)
    await services.hooks.consumerErasing(tx, { consumerRef: owner.consumerRef })
  }
  await insertErasure(tx, {
    id,
    kind: isGroup ? 'group' : 'consumer',
    ref: isGroup ? owner.groupRef : owner.consumerRef,
    installationIds,
    due: services.work.now(),
  })
  // The job names the row, not the ref: jobs are kept for a while after they have run.
  await services.queue.enqueue(tx, finishErasure, { projectId: tx.projectId, erasureId: id }, id)
  return true
}
