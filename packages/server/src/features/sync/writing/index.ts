import type { Database } from '../../../kernel/db/index.ts'
import type { JobQueue, Tick } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { enqueueDueWrites, releaseCollected } from './claim-due.ts'
import { writeRecords } from './endpoints/write-records.ts'
import { runWritesHandler } from './jobs/run-writes.ts'

export type { EndedWrite, WriteHooks } from './hooks.ts'
export type { WriteRequest, WriteResponse } from './model.ts'
export { valueAt } from './nested-fields.ts'
export { checkWrite, writeLive } from './write-live.ts'
export { inheritedMapping, noMapping, type WriteMapping } from './write-mapping.ts'
export type { WriteServices } from './write-services.ts'

export { writesAbandoned } from './writes-abandoned.ts'

export const writingEndpoints = [writeRecords]
export const writingJobs = [runWritesHandler]

export function writingTicks(services: { database: Database; queue: JobQueue; work: Work }): Tick[] {
  return [
    {
      name: 'writing.release',
      everyMs: 1_000,
      run: async () => (await releaseCollected(services)) > 0,
    },
    {
      name: 'writing.poll',
      everyMs: 1_000,
      async run() {
        await enqueueDueWrites(services)
        return false
      },
    },
  ]
}
