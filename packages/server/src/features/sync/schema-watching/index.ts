import type { Tick } from '../../../kernel/jobs/index.ts'
import type { Services } from '../../../services.ts'
import { claimDueChecks, deleteOldChanges } from './claim-due.ts'
import { listSchemaChanges } from './endpoints/list-schema-changes.ts'
import { listSchemaWatches } from './endpoints/list-schema-watches.ts'
import { checkSchemas } from './jobs/check-schemas.ts'
import { resyncWatches } from './jobs/resync-watches.ts'

export { syncWatchesAfterDeploy } from './follow-deploy.ts'
export { syncSchemaWatch } from './sync.ts'

export const schemaWatchingEndpoints = [listSchemaWatches, listSchemaChanges]
export const schemaWatchingJobs = [checkSchemas, resyncWatches]

export function schemaWatchingTicks({
  config,
  database,
  queue,
  newId,
  now,
}: Pick<Services, 'config' | 'database' | 'queue' | 'newId' | 'now'>): Tick[] {
  return [
    {
      name: 'schema-watching.schedule',
      everyMs: 5_000,
      run: async () => (await claimDueChecks(database.system, queue, newId, now())) > 0,
    },
    {
      name: 'schema-watching.retention',
      everyMs: 3_600_000,
      run: () => deleteOldChanges(database.system, new Date(now().getTime() - config.retentionDays * 86_400_000)),
    },
  ]
}
