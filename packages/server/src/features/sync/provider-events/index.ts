import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import { listProviderEvents } from './endpoints/list-provider-events.ts'
import { deleteOldProviderEvents } from './store.ts'

export { createProviderEventLog, type ProviderEventLog } from './event-log.ts'
export type { ProviderEvent, ProviderEventOutcome, ReceivedEvents } from './model.ts'
export { eraseProviderEvents } from './store.ts'

export const providerEventsEndpoints = [listProviderEvents]

const deletedAtOnce = 5_000

export function providerEventsTicks({
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
      name: 'provider-events.retention',
      everyMs: 3_600_000,
      async run() {
        const before = new Date(now().getTime() - config.retentionDays * 86_400_000)
        return (await deleteOldProviderEvents(database.system, before, deletedAtOnce)) === deletedAtOnce
      },
    },
  ]
}
