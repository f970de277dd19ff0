import type { Fields } from '../fields.ts'
import type { ReadIntegration, ReadObject } from '../manifest.ts'
import { present } from '../present.ts'
import { readBackfill } from './backfill.ts'
import { readDeletions } from './deletions.ts'
import { readDelivery } from './delivery.ts'
import { duration } from './duration.ts'
import { readIntegrationFields } from './integration-fields.ts'
import { readObjects } from './objects.ts'
import { checkDestination, type IntegrationScope } from './scope.ts'

const READ_OBJECT_KEYS = [
  'objectName',
  'destination',
  'schedule',
  'mapToName',
  'mapToDisplayName',
  'requiredFields',
  'optionalFields',
  'optionalFieldsAuto',
  'backfill',
  'deletions',
  'delivery',
  'enabled',
]

/** The `read` action. */
export function readRead(scope: IntegrationScope, action: Fields): ReadIntegration {
  return readObjects(scope, action, {
    action: 'read',
    known: READ_OBJECT_KEYS,
    missing: 'read-objects-required',
    nameMissing: 'read-object-name-required',
    duplicate: 'duplicate-read-object',
    read: readObject,
  })
}

function readObject(scope: IntegrationScope, fields: Fields, objectName: string): ReadObject {
  const destination = fields.requiredText('destination', 'read-object-destination-required', 'A read object')
  checkDestination(scope, destination, fields.at('destination'))
  const schedule = fields.text('schedule')
  if (schedule !== undefined) checkReadSchedule(scope, fields, schedule)
  const enabled = fields.oneOf('enabled', ['always'], 'read-enabled-value')
  if (enabled && (fields.list('requiredFields')?.items ?? []).length === 0) {
    scope.report('always-enabled-required-fields', fields.at('requiredFields'), {
      message: 'The object is read for everyone (`enabled: always`), but has no `requiredFields` to read.',
      suggestion: 'List the fields that are read for everyone under `requiredFields`.',
    })
  }
  return present({
    objectName,
    destination,
    schedule: schedule?.trim(),
    mapToName: fields.text('mapToName'),
    mapToDisplayName: fields.text('mapToDisplayName'),
    ...readIntegrationFields(scope, fields, enabled === 'always'),
    optionalFieldsAuto: fields.oneOf('optionalFieldsAuto', ['all'], 'optional-fields-auto-enum'),
    backfill: readBackfill(scope, fields, objectName),
    deletions: readDeletions(scope, fields, objectName),
    delivery: readDelivery(scope, fields),
    enabled,
  })
}

const FREQUENT_MS = 5 * 60_000

function checkReadSchedule(scope: IntegrationScope, fields: Fields, schedule: string): void {
  const { report, readIntervalMinMs: leastMs } = scope
  const place = fields.at('schedule')
  const intervalMs = scope.scheduleInterval(schedule, place)
  if (intervalMs === undefined) return
  if (intervalMs < leastMs) {
    const isEachMinute = schedule.trim().startsWith('* ')
    report(isEachMinute ? 'schedule-no-asterisk-minute' : 'schedule-minimum-interval', place, {
      message: `The schedule fires ${duration(intervalMs)} apart; this server reads at most every ${duration(leastMs)}.`,
      suggestion: `Leave at least ${duration(leastMs)} between two times, for example \`*/30 * * * *\`.`,
      value: schedule,
    })
  } else if (intervalMs <= FREQUENT_MS) {
    report('frequent-schedule-risk', place, {
      message: `Reading every ${duration(intervalMs)} can use up the rate limit of the provider.`,
      suggestion: 'Read less often, or subscribe to changes where the provider can.',
      value: schedule,
    })
  }
}
