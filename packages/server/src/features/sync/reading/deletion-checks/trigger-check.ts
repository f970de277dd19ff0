import type { NewId, ProjectDb } from '../../../../kernel/db/index.ts'
import { publishDue, type Work } from '../../../../kernel/work/index.ts'
import { beginOperation } from '../../../platform/operations/index.ts'
import type { ReadTarget } from '../open-read.ts'
import { runningCheck, startCheck } from './check-store.ts'
import { deletionChecksLoop } from './deletion-checks-loop.ts'
import { operationOf } from './process-check.ts'

/** Makes the check of an object due now. Returns its operation: that of a check that is running, if there is one. */
export async function triggerCheck(
  tx: ProjectDb,
  { newId, work }: { newId: NewId; work: Work },
  installation: ReadTarget['installation'],
  { objectName }: { objectName: string },
): Promise<string> {
  const key = { installationId: installation.id, objectName }
  const running = await runningCheck(tx, key)
  if (running !== undefined) return running
  const operationId = newId()
  await beginOperation(tx, operationOf(operationId, installation, { objectName }))
  await startCheck(tx, work, key, operationId)
  await publishDue(tx, deletionChecksLoop)
  return operationId
}
