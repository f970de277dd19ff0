import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { EffectiveReadObject } from '../../../integrations/installations/index.ts'
import { endOperation } from '../../../platform/operations/index.ts'
import type { ReadState } from '../state-store.ts'
import { deleteChecks, upsertChecks } from './check-store.ts'

/**
 * Syncs the checks of an installation with its effective config: new objects get a check, changed ones their new
 * schedule. The checks of others are deleted, with the ids that were stored. Runs no statement when nothing changes.
 */
export async function syncDeletionChecks(
  tx: ProjectDb,
  installationId: string,
  wanted: ReadonlyMap<string, EffectiveReadObject>,
  states: ReadonlyMap<string, ReadState>,
  firstRun: (schedule: string) => Date,
): Promise<void> {
  const checks = [...wanted.values()].flatMap(({ objectName, deletionSchedule: schedule }) =>
    schedule === undefined || schedule === states.get(objectName)?.deletionSchedule
      ? []
      : [{ objectName, schedule, nextCheckAt: firstRun(schedule) }],
  )
  await upsertChecks(tx, installationId, checks)
  const unwanted = [...states.values()]
    .filter(({ deletionSchedule }) => deletionSchedule !== undefined)
    .map(({ objectName }) => objectName)
    .filter((objectName) => wanted.get(objectName)?.deletionSchedule === undefined)
  if (unwanted.length === 0) return
  const result = 'The object is no longer compared with the provider.'
  for (const operationId of await deleteChecks(tx, installationId, unwanted))
    await endOperation(tx, operationId, { status: 'failure', result })
}
