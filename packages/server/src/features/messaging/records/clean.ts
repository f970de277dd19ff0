import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import { marksDaysDefault } from '../kinds/index.ts'
import { cleanLeft, cleanOld, cleanRemoved } from './clean-store.ts'

/** Records that one statement deletes. */
const cleanedAtOnce = 1_000

/**
 * Deletes the records of installations and destinations that were deleted, and records past their retention, some at a
 * time. A lock of the row that names them makes nodes take different ones.
 */
export function recordsTicks({
  config,
  database: { system },
  now,
}: {
  config: Pick<Config, 'retentionDays' | 'deadLetterDays'>
  database: Database
  now: () => Date
}): Tick[] {
  return [
    {
      name: 'records.removals',
      everyMs: 10_000,
      run: () => cleanRemoved(system, cleanedAtOnce),
    },
    {
      name: 'records.stores',
      everyMs: 10_000,
      run: () => cleanLeft(system, cleanedAtOnce),
    },
    {
      name: 'records.retention',
      everyMs: 60_000,
      run: () =>
        cleanOld(system, {
          now: now(),
          marksDays: marksDaysDefault,
          // A message that is sent again would bring a record back whose mark is missing.
          marksDaysMin: Math.max(config.retentionDays, config.deadLetterDays ?? 0),
          limit: cleanedAtOnce,
        }),
    },
  ]
}
