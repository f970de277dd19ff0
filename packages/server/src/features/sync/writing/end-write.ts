import type { NewId, ProjectDb } from '../../../kernel/db/index.ts'
import { type Lease, LeaseLost } from '../../../kernel/work/index.ts'
import type { ConnectionHooks } from '../../accounts/connections/index.ts'
import { lockInstallation } from '../../integrations/installations/index.ts'
import { endOperation, type LogLine, logOperation } from '../../platform/operations/index.ts'
import type { WriteHooks } from './hooks.ts'
import type { Tally } from './model.ts'
import type { WriteRun, WriteRunRow } from './run-store.ts'

export type EndedRun = Pick<WriteRun, 'operationId' | 'installationId' | 'objectName' | 'type' | 'batch' | 'mode'>

/**
 * Ends a write, its operation and what depends on them, in one transaction.
 *
 * @param attempts number of failed requests to the provider, if more than one
 * @param lines what the log has before its last line
 * @throws LeaseLost when another worker has ended it, or its installation is deleted
 */
export async function endWrite(
  db: ProjectDb,
  services: { newId: NewId; hooks: WriteHooks & ConnectionHooks },
  run: EndedRun,
  lease: Lease<WriteRunRow>,
  { tally, attempts = 0, lines = [] }: { tally: Tally; attempts?: number; lines?: readonly LogLine[] },
): Promise<void> {
  const { operationId, installationId, objectName, type, mode } = run
  const { succeeded, failed, recordIds, errors } = tally
  await db.transaction(async (tx) => {
    // First, in the same order as every transaction that changes more than the run. Otherwise this could deadlock with
    // a deletion of the installation.
    if (!(await lockInstallation(tx, installationId))) throw new LeaseLost()
    await endOperation(tx, operationId, {
      status: succeeded > 0 ? 'success' : 'failure',
      result: resultText(run, tally),
      metadata: {
        ...(recordIds.length > 0 && { successfulRecordIds: recordIds }),
        ...(attempts > 0 && { retry: { attempts } }),
      },
    })
    await logOperation(tx, services, operationId, ...lines, {
      severity: failed === 0 ? 'INFO' : succeeded > 0 ? 'WARNING' : 'ERROR',
      msg: failed === 0 ? doneText(type, succeeded) : 'Error writing to provider',
      ...(errors.length > 0 && { error: errors.slice(0, errorsShown).join(' ') }),
      details: { type, mode, objectName, succeeded: String(succeeded), failed: String(failed) },
    })
    if (mode === 'asynchronous')
      await services.hooks.writesEnded(tx, [
        { installationId, objectName, success: failed === 0, successfulRecordIds: recordIds, errors },
      ])
    await lease.finish(tx)
  })
}

const errorsShown = 10

/** Returns the result for people, in the words of the interface (contract 3.11, 6.5). */
function resultText({ objectName, type, batch }: EndedRun, { succeeded, failed, errors }: Tally): string {
  if (batch) return `Batch write completed (${succeeded} succeeded, ${failed} failed)`
  if (failed === 0) return `[${objectName}] ${doneText(type, succeeded)}`
  return [`[${objectName}] Error writing to provider`, ...errors.slice(0, 1)].join(': ')
}

function doneText(type: EndedRun['type'], count: number): string {
  const done = { create: 'created', update: 'updated', delete: 'deleted' }[type]
  return `${count} ${count === 1 ? 'record' : 'records'} ${done}`
}
