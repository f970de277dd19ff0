import type { Database } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { setUpSubscription, tearDownJob } from './job-references.ts'
import { subscriptions } from './store.ts'
import { teardowns } from './teardown-store.ts'

const batchSize = 500

/**
 * Enqueues jobs for subscriptions and teardowns of all projects that are due and that no job may know of, and for those
 * whose worker died. The cost follows what is due (indexes `subscriptions_due` and `teardowns_next_time_idx`).
 */
export async function enqueueDue({
  database: { system },
  queue,
  work,
}: {
  database: Database
  queue: JobQueue
  work: Work
}): Promise<void> {
  const toSetUp = await work.listDue(system, subscriptions, {
    columns: ['project_id', 'installation_id'],
    limit: batchSize,
  })
  const setUps = toSetUp.map(({ project_id: projectId, installation_id: installationId }) => ({
    data: { projectId, installationId },
    key: installationId,
  }))
  await queue.enqueueAll({ sql: system }, setUpSubscription, setUps)
  const toTearDown = await work.listDue(system, teardowns, { columns: ['project_id', 'id'], limit: batchSize })
  const tearDowns = toTearDown.map(({ project_id: projectId, id }) => ({ data: { projectId, id }, key: id }))
  await queue.enqueueAll({ sql: system }, tearDownJob, tearDowns)
}
