import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { forgetAuthor, type InstallationHooks, uninstall } from '../../integrations/installations/index.ts'
import { type ConnectionHooks, deleteUnusedConnections, lockConnections } from '../connections/index.ts'
import { deleteOwner, lockOwner, type Owner } from '../consumers/index.ts'
import { finishErasure } from './job-references.ts'
import { insertErasure } from './store.ts'

/**
 * Deletes a group or a consumer with its installations and connections; what may be much (messages, operations, logs)
 * is erased by a job that commits with it. Answers false when there is none.
 *
 * The ref's own row is locked first, as whoever connects does too: what is being made for it either is there already,
 * or finds it gone.
 */
export async function erase(
  tx: ProjectDb,
  services: { hooks: InstallationHooks & ConnectionHooks; newId: NewId; queue: JobQueue; work: Work },
  owner: Owner,
): Promise<boolean> {
  if (!(await lockOwner(tx, owner))) return false
  // Before anything tells of the deletion: what tells of it has higher ids, and is delivered.
  const id = services.newId()
  const connections = await lockConnections(tx, owner)
  const installationIds = await uninstall(tx, services, owner)
  await deleteUnusedConnections(tx, services, connections)
  await deleteOwner(tx, owner)
  const isGroup = 'groupRef' in owner
  if (!isGroup) await forgetAuthor(tx, owner.consumerRef)
  await insertErasure(tx, {
    id,
    kind: isGroup ? 'group' : 'consumer',
    ref: isGroup ? owner.groupRef : owner.consumerRef,
    installationIds,
    due: services.work.now(),
  })
  // The job names the row and not the ref: jobs are kept for a while after they have run.
  await services.queue.enqueue(tx, finishErasure, { projectId: tx.projectId, erasureId: id }, id)
  return true
}
