import { diffContent } from '@mortise/manifest'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { IntegrationChange } from '../../integrations/integrations/index.ts'
import { resyncWatches } from './job-references.ts'

/**
 * After a deploy: watches follow in a job for each integration, so that a deploy does not grow with its installations.
 */
export async function syncWatchesAfterDeploy(
  tx: ProjectDb,
  { queue }: { queue: JobQueue },
  changes: IntegrationChange[],
): Promise<void> {
  const jobs = changes.flatMap(({ integrationId, before, after }) => {
    if (before === undefined) return []
    const { read, watchSchema } = diffContent(before, after)
    const objects = after.watchSchema !== undefined && read.added.length + read.removed.length > 0
    if (watchSchema === 'same' && !objects) return []
    return [{ data: { projectId: tx.projectId, integrationId }, key: integrationId }]
  })
  await queue.enqueueToApply(tx, resyncWatches, jobs)
}
