import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import { listTimeline } from './endpoints/list-timeline.ts'
import { deleteOldEvents } from './event-store.ts'

export {
  eraseConnectionEvents,
  eraseEvents,
  type ResourceEvent,
  recordDeletedConnections,
  recordEvents,
  recordUninstalled,
} from './event-store.ts'

export { recordStatus } from './record-status.ts'

export const timelinesEndpoints = [listTimeline]

const deletedAtOnce = 5_000

export function timelinesTicks({
  config,
  database,
  now,
}: {
  config: Config
  database: Database
  now: () => Date
}): Tick[] {
  return [
    {
      name: 'timelines.retention',
      everyMs: 3_600_000,
      async run() {
        const before = new Date(now().getTime() - config.retentionDays * 86_400_000)
        return (await deleteOldEvents(database.system, before, deletedAtOnce)) === deletedAtOnce
      },
    },
  ]
}
