import type { Database } from '../../../kernel/db/index.ts'
import type { JobQueue, Tick } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { finishErasure } from './job-references.ts'
import { erasures } from './store.ts'

const batchSize = 500

/** Enqueues jobs for erasures that are due and that no job may know of, and for those whose worker died. */
export function erasuresTicks({
  database: { system },
  queue,
  work,
}: {
  database: Database
  queue: JobQueue
  work: Work
}): Tick[] {
  return [
    {
      name: 'groups.erasures',
      everyMs: 5_000,
      async run() {
        const rows = await work.listDue(system, erasures, { columns: ['project_id', 'id'], limit: batchSize })
        const jobs = rows.map(({ project_id: projectId, id }) => ({ data: { projectId, erasureId: id }, key: id }))
        await queue.enqueueAll({ sql: system }, finishErasure, jobs)
        return false
      },
    },
  ]
}
