import type { ProjectDb } from '../../../../kernel/db/index.ts'
import { lockInstallation } from '../../../integrations/installations/index.ts'
import { logOperation } from '../../../platform/operations/index.ts'
import type { ReadRun } from '../model.ts'
import { findReadTarget, type OpenRead } from '../open-read.ts'
import type { ReadServices } from '../read-services.ts'
import { triggerCheck } from './trigger-check.ts'

/**
 * Makes up for deletions that the provider no longer reports: the check of all ids is due now, if the object has one.
 * The log of the read says what people can do otherwise.
 */
export async function checkMissed(
  { db, services, run }: { db: ProjectDb; services: ReadServices; run: Pick<ReadRun, 'operationId'> },
  read: Pick<OpenRead, 'installationId' | 'objectName' | 'keepsIds'>,
  missed: string,
): Promise<void> {
  const { installationId, objectName } = read
  await db.transaction(async (tx) => {
    await lockInstallation(tx, installationId)
    const target = read.keepsIds ? await findReadTarget(tx, { installationId, objectName }) : undefined
    const operationId = target && (await triggerCheck(tx, services, target.installation, { objectName }))
    const rest =
      operationId === undefined
        ? 'Set `deletions.schedule` of the object, so that Mortise checks the ids of all records in such cases.'
        : 'Mortise checks the ids of all records instead.'
    await logOperation(tx, services, run.operationId, {
      severity: 'WARNING',
      msg: `Deletions in the window of this read may be missing. ${missed} ${rest}`,
      ...(operationId !== undefined && { details: { operationId } }),
    })
  })
}
