import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { publishDue, type Work } from '../../../../kernel/work/index.ts'
import { beginOperation } from '../../../platform/operations/index.ts'
import type { ReadTarget } from '../open-read.ts'
import { type SyncServices, syncInstallation } from '../sync.ts'
import { lockCheck, startCheck } from './check-store.ts'
import { deletionChecksLoop } from './deletion-checks-loop.ts'
import { operationOf } from './process-check.ts'

/**
 * Makes the check of an object due now. Returns its operation: that of a check that is running, if there is one.
 * Undefined if the deleted records of the object are not looked for any more. The caller has locked the installation.
 */
export async function triggerCheck(
  tx: ProjectDb,
  services: SyncServices & { work: Work },
  installation: ReadTarget['installation'],
  { objectName }: { objectName: string },
): Promise<string | undefined> {
  const key = { installationId: installation.id, objectName }
  let check = await lockCheck(tx, key)
  if (!check) {
    // The job of a deploy that declares the check may not have reached the installation yet.
    await syncInstallation(tx, services, installation.id)
    check = await lockCheck(tx, key)
  }
  if (!check) return undefined
  if (check.operationId !== null) return check.operationId
  const operationId = services.newId()
  await beginOperation(tx, operationOf(operationId, installation, { objectName }))
  await startCheck(tx, services.work, key, operationId)
  await publishDue(tx, deletionChecksLoop)
  return operationId
}
