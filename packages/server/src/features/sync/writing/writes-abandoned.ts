import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { ConnectionHooks } from '../../accounts/connections/index.ts'
import type { WriteHooks } from './hooks.ts'
import { listWaitingRuns } from './run-store.ts'

/**
 * Ends the waiting writes of installations that are about to be deleted. Callers who were promised an outcome receive a
 * failure.
 */
export async function writesAbandoned(
  tx: ProjectDb,
  { hooks }: { hooks: WriteHooks & ConnectionHooks },
  { installationIds }: { installationIds: string[] },
): Promise<void> {
  const waiting = await listWaitingRuns(tx, installationIds)
  if (waiting.length === 0) return
  await hooks.writesEnded(
    tx,
    waiting.map(({ recordIds, errors, ...run }) => ({
      ...run,
      success: false,
      successfulRecordIds: recordIds,
      errors: [...errors, 'The installation was deleted.'],
    })),
  )
}
