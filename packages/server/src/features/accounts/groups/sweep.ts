import type { Tick } from '../../../kernel/jobs/index.ts'
import type { Services } from '../../../services.ts'
import { listOldErasures } from './erasure-store.ts'
import { finishErasure } from './jobs/finish-erasure.ts'

/** Begins erasures anew that a job gave up: the rows are the truth, the job only makes it fast. */
export function groupsTicks({ database, queue }: Pick<Services, 'database' | 'queue'>): Tick[] {
  return [
    {
      name: 'groups.erasures',
      everyMs: 60_000,
      async run() {
        for (const data of await listOldErasures(database.system)) {
          const db = database.forProject(data.projectId)
          await queue.enqueue(db, finishErasure, data, data.erasureId)
        }
        return false
      },
    },
  ]
}
