import type { Tick } from '../../../kernel/jobs/index.ts'
import type { Services } from '../../../services.ts'
import { enqueueDueWrites, releaseGathered } from './claim-due.ts'
import { writeRecords } from './endpoints/write-records.ts'
import { runWrites } from './jobs/run-writes.ts'

export { writesAbandoned } from './writes-abandoned.ts'

export const writingEndpoints = [writeRecords]
export const writingJobs = [runWrites]

export function writingTicks(services: Pick<Services, 'database' | 'queue' | 'work'>): Tick[] {
  return [
    {
      name: 'writing.release',
      everyMs: 1_000,
      run: async () => (await releaseGathered(services)) > 0,
    },
    {
      name: 'writing.sweep',
      everyMs: 1_000,
      async run() {
        await enqueueDueWrites(services)
        return false
      },
    },
  ]
}
