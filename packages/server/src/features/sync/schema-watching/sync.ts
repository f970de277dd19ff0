import { nextTick } from '@mortise/manifest'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { effectiveReadObjects, findInstallation, lockInstallation } from '../../integrations/installations/index.ts'
import { scheduleDefault } from './model.ts'
import { syncWatches } from './store.ts'

/**
 * Brings the watches of an installation in line with its manifest and config. Runs inside the transaction of the
 * change.
 */
export async function syncSchemaWatch(
  tx: ProjectDb,
  { now, work }: { now: () => Date; work: Work },
  installationId: string,
): Promise<void> {
  await lockInstallation(tx, installationId)
  const installation = await findInstallation(tx, installationId)
  if (!installation) return
  const { watchSchema } = installation.integration
  const names = watchSchema ? [...effectiveReadObjects(installation).keys()] : []
  const schedule = watchSchema?.schedule ?? scheduleDefault
  await syncWatches(tx, installationId, names, { schedule, now: work.now(), next: nextTick(schedule, now()) })
}
