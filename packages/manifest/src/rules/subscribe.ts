import type { Fields } from '../fields.ts'
import type { ReadIntegration, ReadObject, SubscribeIntegration, SubscribeObject, UpdateEvent } from '../manifest.ts'
import { present } from '../present.ts'
import type { RuleId } from '../rule-table.ts'
import { quote } from '../source/located.ts'
import { readObjects } from './objects.ts'
import { checkDestination, type IntegrationScope } from './scope.ts'

const STANDARD_EVENTS = ['createEvent', 'updateEvent', 'deleteEvent', 'associationChangeEvent']
const SUBSCRIBE_OBJECT_KEYS = [
  'objectName',
  'destination',
  'inheritFieldsAndMapping',
  ...STANDARD_EVENTS,
  'otherEvents',
]
const SALESFORCE_OBJECTS_MAX = 5

/** The `subscribe` action; `read` is the integration's, which subscriptions take fields and mapping from. */
export function readSubscribe(
  scope: IntegrationScope,
  action: Fields,
  read: ReadIntegration | undefined,
): SubscribeIntegration {
  const { report } = scope
  if (read === undefined && canRead(scope)) {
    report('subscribe-requires-read', action.place, {
      message: '`subscribe` comes without `read`: there are no fields and mapping to deliver by, only raw records.',
      suggestion: 'Add `read` with the same objects.',
    })
  }
  const reads = read && new Map(read.objects.map((object) => [object.objectName, object]))
  const subscribe = readObjects(scope, action, {
    action: 'subscribe',
    known: SUBSCRIBE_OBJECT_KEYS,
    missing: 'subscribe-objects-required',
    nameMissing: 'subscribe-object-name-required',
    duplicate: 'duplicate-subscribe-object',
    read: (_scope, fields, objectName) => readObject(scope, fields, objectName, reads),
  })
  if (scope.provider === 'salesforce' && subscribe.objects.length > SALESFORCE_OBJECTS_MAX) {
    report('salesforce-subscribe-limit', action.at('objects'), {
      message: `salesforce lets ${SALESFORCE_OBJECTS_MAX} objects be subscribed, not ${subscribe.objects.length}.`,
      suggestion: 'Read the others on a schedule.',
    })
  }
  return subscribe
}

/** Whether anything of the provider can be read; some providers only send events. */
function canRead({ entry, module = entry?.defaultModule ?? '' }: IntegrationScope): boolean {
  const part = entry !== undefined && Object.hasOwn(entry.modules, module) ? entry.modules[module] : entry
  return part?.implemented.read !== false
}

function readObject(
  scope: IntegrationScope,
  fields: Fields,
  objectName: string,
  reads: ReadonlyMap<string, ReadObject> | undefined,
): SubscribeObject {
  const { report, entry } = scope
  const destination = fields.requiredText('destination', 'subscribe-object-destination-required', 'A subscribe object')
  checkDestination(scope, destination, fields.at('destination'))
  const inheritFieldsAndMapping = fields.flag('inheritFieldsAndMapping')
  const standard = STANDARD_EVENTS.filter((event) => fields.has(event))

  if (standard.length > 0 && inheritFieldsAndMapping !== true && canRead(scope)) {
    report('subscribe-inherit-fields-required', fields.at('inheritFieldsAndMapping'), {
      message: `\`${standard[0]}\` delivers records with the fields and mapping of the read object.`,
      suggestion: 'Write `inheritFieldsAndMapping: true`.',
      value: inheritFieldsAndMapping,
    })
  }
  if (standard.length > 0 && objectName !== '' && reads !== undefined && !reads.has(objectName)) {
    report('subscribe-read-object-required', fields.at('objectName'), {
      message: `${quote(objectName)} is subscribed, but no object of \`read\`: only raw records can be delivered.`,
      suggestion: 'Add the object to `read`.',
      value: objectName,
    })
  }
  if (entry?.signalsChanges?.includes(objectName) && reads?.get(objectName)?.schedule === undefined) {
    report('subscribe-schedule-required', fields.at('objectName'), {
      message: `${scope.provider} reports that ${quote(objectName)} changed, but not which records: they are read on the schedule.`,
      suggestion: 'Add the object to `read`, with a `schedule`. Events make a scheduled read due immediately.',
      value: objectName,
    })
  }
  const otherEvents = fields.texts('otherEvents')
  if (standard.length === 0 && (otherEvents ?? []).length === 0) {
    report('subscribe-minimum-events', fields.place, {
      message: 'The object has no events: it only gives defaults, installations have to opt in.',
      suggestion: `Add one of ${STANDARD_EVENTS.join(', ')} or otherEvents, if that is not meant.`,
    })
  }
  const associationChange = readEvent(
    scope,
    fields,
    'associationChangeEvent',
    'association-change-event-enabled-value',
    ['includeFullRecords'],
  )
  return present({
    objectName,
    destination,
    inheritFieldsAndMapping,
    createEvent: readEvent(scope, fields, 'createEvent', 'create-event-enabled-value')?.event,
    updateEvent: readUpdateEvent(scope, fields),
    deleteEvent: readEvent(scope, fields, 'deleteEvent', 'delete-event-enabled-value')?.event,
    associationChangeEvent:
      associationChange &&
      present({
        ...associationChange.event,
        includeFullRecords: associationChange.fields.flag('includeFullRecords'),
      }),
    otherEvents: otherEvents?.map(({ text }) => text),
  })
}

function readEvent(
  { report }: IntegrationScope,
  object: Fields,
  key: string,
  rule: RuleId,
  furtherKeys: readonly string[] = [],
): { fields: Fields; event: { enabled?: 'always' } } | undefined {
  const fields = object.map(key, ['enabled', ...furtherKeys])
  if (fields === undefined) return undefined
  if (!fields.has('enabled')) {
    report('event-enabled-required', fields.at('enabled'), {
      message: `\`${key}\` does not say \`enabled: always\`: installations have to opt in.`,
      suggestion: 'Write `enabled: always`.',
    })
  }
  return { fields, event: present({ enabled: fields.oneOf('enabled', ['always'], rule) }) }
}

function readUpdateEvent(scope: IntegrationScope, object: Fields): UpdateEvent | undefined {
  const { report } = scope
  const furtherKeys = ['watchFieldsAuto', 'requiredWatchFields']
  const read = readEvent(scope, object, 'updateEvent', 'update-event-enabled-value', furtherKeys)
  if (read === undefined) return undefined
  const { fields, event } = read
  const watchFieldsAuto = fields.oneOf('watchFieldsAuto', ['all', 'selected'], 'watch-fields-auto-enum')
  const watched = fields.texts('requiredWatchFields')

  if (fields.has('watchFieldsAuto') && (watched ?? []).length > 0) {
    report('update-event-watch-fields-exclusive', fields.place, {
      message: '`updateEvent` has both `watchFieldsAuto` and `requiredWatchFields`.',
      suggestion: 'Keep one of the two.',
    })
  } else if (!fields.has('watchFieldsAuto') && (watched ?? []).length === 0) {
    report('update-event-watch-fields-required', fields.place, {
      message: '`updateEvent` does not say which fields are watched; all are.',
      suggestion: 'Write `watchFieldsAuto: all` or `selected`, or list `requiredWatchFields`.',
    })
  }
  for (const { text, place } of watched ?? []) {
    if (!/[.[\]]/.test(text)) continue
    report('watch-fields-no-nesting', place, {
      message: `${quote(text)} is a nested field; only top-level fields can be watched.`,
      suggestion: 'Watch the top-level field that holds it.',
      value: text,
    })
  }
  return present({ ...event, watchFieldsAuto, requiredWatchFields: watched?.map(({ text }) => text) })
}
