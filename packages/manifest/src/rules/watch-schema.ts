import type { Fields } from '../fields.ts'
import type { WatchedChange, WatchSchema } from '../manifest.ts'
import { present } from '../present.ts'
import { duration } from './duration.ts'
import { checkDestination, type Scope } from './scope.ts'

const HOUR_MS = 3_600_000

/** `watchSchema` of an integration. */
export function readWatchSchema(scope: Scope, fields: Fields): WatchSchema {
  const { report } = scope
  const destination = fields.requiredText('destination', 'watch-schema-destination-required', '`watchSchema`')
  checkDestination(scope, destination, fields.at('destination'))

  const schedule = fields.text('schedule')
  const intervalMs = schedule === undefined ? undefined : scope.scheduleInterval(schedule, fields.at('schedule'))
  if (intervalMs !== undefined && intervalMs < HOUR_MS) {
    report('watch-schema-minimum-interval', fields.at('schedule'), {
      message: `The schema is watched at most once an hour; this schedule fires ${duration(intervalMs)} apart.`,
      suggestion: 'Write `0 * * * *` (hourly) or a rarer schedule.',
      value: schedule,
    })
  }

  const changes = fields.map('allObjects', ['fieldCreated', 'fieldDeleted', 'fieldChanged'])
  if (!fields.has('allObjects')) {
    report('watch-schema-all-objects-required', fields.at('allObjects'), {
      message: '`watchSchema` does not say which changes are watched.',
      suggestion: 'Add `allObjects` with `fieldCreated`, `fieldDeleted` or `fieldChanged`.',
    })
  }
  const readChange = (key: string): WatchedChange | undefined => {
    const change = changes?.map(key, ['enabled'])
    if (change === undefined) return undefined
    if (!change.has('enabled')) {
      report('watch-schema-enabled-value', change.at('enabled'), {
        message: `\`${key}\` does not say whether it is enabled.`,
        suggestion: 'Write `enabled: always`.',
      })
    }
    change.oneOf('enabled', ['always'], 'watch-schema-enabled-value')
    return { enabled: 'always' }
  }
  return present({
    destination,
    schedule: schedule?.trim(),
    allObjects: present({
      fieldCreated: readChange('fieldCreated'),
      fieldDeleted: readChange('fieldDeleted'),
      fieldChanged: readChange('fieldChanged'),
    }),
  })
}
