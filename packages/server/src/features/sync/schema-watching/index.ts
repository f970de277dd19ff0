import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { JobQueue, Tick } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { deleteOldChanges, enqueueDueChecks } from './claim-due.ts'
import { listSchemaChanges } from './endpoints/list-schema-changes.ts'
import { listSchemaWatches } from './endpoints/list-schema-watches.ts'
import { checkSchemasHandler } from './jobs/check-schemas.ts'
import { resyncWatchesHandler } from './jobs/resync-watches.ts'

export { findFieldTypes } from './field-types.ts'
export { syncWatchesAfterDeploy } from './follow-deploy.ts'
export { syncSchemaWatch } from './sync.ts'

export const schemaWatchingEndpoints = [listSchemaWatches, listSchemaChanges]
export const schemaWatchingJobs = [checkSchemasHandler, resyncWatchesHandler]

export function schemaWatchingTicks(services: {
  config: Config
  database: Database
  queue: JobQueue
  now: () => Date
  work: Work
}): Tick[] {
  const { config, database, now } = services
  return [
    {
      name: 'schema-watching.schedule',
      everyMs: 5_000,
      async run() {
        await enqueueDueChecks(services)
        return false
      },
    },
    {
      name: 'schema-watching.retention',
      everyMs: 3_600_000,
      run: () => deleteOldChanges(database.system, new Date(now().getTime() - config.retentionDays * 86_400_000)),
    },
  ]
}
