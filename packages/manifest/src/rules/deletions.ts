import type { Fields } from '../fields.ts'
import type { Deletions } from '../manifest.ts'
import { present } from '../present.ts'
import { quote } from '../source/located.ts'
import { duration } from './duration.ts'
import type { IntegrationScope } from './scope.ts'

const HOUR_MS = 3_600_000

/** `deletions` of a read object. */
export function readDeletions(scope: IntegrationScope, object: Fields, objectName: string): Deletions | undefined {
  const { report, entry } = scope
  const deletions = object.map('deletions', ['enabled', 'schedule'])
  if (deletions === undefined) return undefined
  const enabled = deletions.oneOf('enabled', ['always'], 'read-deletions-enabled')
  const schedule = deletions.text('schedule')
  if (!deletions.has('enabled') && !deletions.has('schedule')) {
    report('read-deletions-enabled', object.at('deletions'), {
      message: '`deletions` does not say what to deliver.',
      suggestion: 'Write `enabled: always` or a `schedule`, or remove `deletions`.',
    })
  }
  if (schedule !== undefined) checkSchedule(scope, deletions, schedule)
  if (entry?.isAssumed === true) return present({ enabled, schedule: schedule?.trim() })
  const reports = entry?.reportsDeletions ?? []
  const isReported = reports.includes(objectName) || reports.includes('*')
  if (deletions.has('enabled') && entry?.implemented.read === true && !isReported) {
    report('read-deletions-reported', deletions.at('enabled'), {
      message: `${scope.provider} does not report deleted records of ${quote(objectName)}.`,
      suggestion: 'Write a `schedule` instead of `enabled`, for example `schedule: 0 3 * * *`.',
      value: objectName,
    })
  }
  if (schedule !== undefined && !deletions.has('enabled') && isReported) {
    report('read-deletions-schedule-reported', deletions.at('schedule'), {
      message: `${scope.provider} reports deleted records of ${quote(objectName)}, so a scheduled read can deliver them.`,
      suggestion: 'Write `enabled: always` instead of `schedule`. It needs fewer requests.',
      value: objectName,
    })
  }
  return present({ enabled, schedule: schedule?.trim() })
}

function checkSchedule(scope: IntegrationScope, deletions: Fields, schedule: string): void {
  const place = deletions.at('schedule')
  const intervalMs = scope.scheduleInterval(schedule, place)
  if (intervalMs === undefined || intervalMs >= HOUR_MS) return
  scope.report('read-deletions-minimum-interval', place, {
    message: `Deleted records are looked for at most once an hour; this schedule fires ${duration(intervalMs)} apart.`,
    suggestion: 'Write `0 3 * * *` (daily) or another rarer schedule.',
    value: schedule,
  })
}
