import type { SubscribeObject } from '@mortise/manifest'
import { type EventKind, type EventSource, eventNamesOf } from '@mortise/providers'
import {
  type ConfigContent,
  type EffectiveReadObject,
  effectiveReadObjects,
  type InstallationRecord,
} from '../../integrations/installations/index.ts'

/**
 * The events of one object that an installation subscribes to: the manifest's object with the config's overrides
 * (contract 6.6).
 */
export interface EffectiveSubscribeObject {
  /** The provider's name. */
  objectName: string
  /** Name in messages. */
  shownName: string
  destination: string
  create: boolean
  /** Fields of which at least one must change, by the provider's names in lower case. `all` for any change. */
  update: false | 'all' | ReadonlySet<string>
  delete: boolean
  association: false | { includeFullRecords: boolean }
  /** The provider's names of further events. */
  others: readonly string[]
  /** Selection and mapping of the delivered records. Without them the records are delivered raw. */
  read: EffectiveReadObject | undefined
}

type SubscribeConfig = NonNullable<NonNullable<ConfigContent['subscribe']>['objects']>[string]

/** Returns the objects that an installation subscribes to, by the provider's name. */
export function effectiveSubscribeObjects(
  installation: Pick<InstallationRecord, 'integration' | 'content' | 'removedReadObjects'>,
): Map<string, EffectiveSubscribeObject> {
  const { integration, content } = installation
  const configs = content.subscribe?.objects ?? {}
  const reads = effectiveReadObjects(installation)
  const effective = new Map<string, EffectiveSubscribeObject>()
  for (const definition of integration.subscribe?.objects ?? []) {
    const { objectName } = definition
    const config = Object.hasOwn(configs, objectName) ? configs[objectName] : undefined
    if (!effective.has(objectName)) effective.set(objectName, overlay(definition, config, reads.get(objectName)))
  }
  return effective
}

function overlay(
  definition: SubscribeObject,
  config: SubscribeConfig | undefined,
  readObject: EffectiveReadObject | undefined,
): EffectiveSubscribeObject {
  const isOn = (event: 'createEvent' | 'updateEvent' | 'deleteEvent') =>
    (config?.[event]?.enabled ?? definition[event]?.enabled) === 'always'
  const inherits = config?.inheritFieldsAndMappings ?? definition.inheritFieldsAndMapping ?? false
  const association = definition.associationChangeEvent
  return {
    objectName: definition.objectName,
    shownName: readObject?.mapToName ?? definition.objectName,
    destination: config?.destination ?? definition.destination,
    create: isOn('createEvent'),
    update: isOn('updateEvent') && watchedFields(definition, config, readObject),
    delete: isOn('deleteEvent'),
    association: association?.enabled === 'always' && { includeFullRecords: association.includeFullRecords === true },
    others: config?.otherEvents ?? definition.otherEvents ?? [],
    read: inherits ? readObject : undefined,
  }
}

/**
 * Returns the fields to watch: all when neither config nor manifest names any. Watch settings in the config replace
 * those in the manifest.
 */
function watchedFields(
  definition: SubscribeObject,
  config: SubscribeConfig | undefined,
  read: EffectiveReadObject | undefined,
): 'all' | ReadonlySet<string> {
  const own = config?.updateEvent
  const effective = own?.watchFieldsAuto || own?.requiredWatchFields ? own : definition.updateEvent
  if (effective?.watchFieldsAuto === 'all') return 'all'
  if (effective?.watchFieldsAuto === 'selected') {
    if (read === undefined || read.fields === 'all') return 'all'
    return namesIn([...read.fields, ...read.mappings.map(({ from }) => from)])
  }
  const required = effective?.requiredWatchFields ?? []
  if (required.length === 0) return 'all'
  const sources = new Map(read?.mappings.map(({ to, from }) => [to, from]))
  return namesIn(required.map((name) => sources.get(name) ?? name))
}

/** Returns names as providers send them. For a nested field a provider may send any part of its path. */
function namesIn(fields: readonly string[]): ReadonlySet<string> {
  return new Set(
    fields.flatMap((field) => {
      const parts = field.startsWith('$[') ? [...field.matchAll(/\['([^']*)'\]/g)].map(([, part = '']) => part) : []
      return (parts.length > 0 ? parts : [field]).map((name) => name.toLowerCase())
    }),
  )
}

/** Returns the provider's names of the subscribed events of an object. */
export function wantedEvents(source: EventSource, object: EffectiveSubscribeObject): string[] {
  const names = eventNamesOf(source, object.objectName)
  const wanted = (kind: EventKind) => (object[kind] === false ? [] : (names?.[kind] ?? []))
  const kinds = ['create', 'update', 'delete', 'association'] as const
  const changed = wantsChanges(object) ? (names?.changed ?? []) : []
  return [...new Set([...kinds.flatMap(wanted), ...changed, ...object.others])]
}

/** Whether an object is read after an event that does not say which record changed, nor how. */
function wantsChanges(object: EffectiveSubscribeObject): boolean {
  return object.create || object.update !== false || object.delete
}

/**
 * Returns what an event means to an object. Undefined if it means nothing.
 *
 * @param names the provider's names of the object's events (`eventNamesOf`)
 */
export function meaningOf(
  names: ReturnType<typeof eventNamesOf>,
  object: EffectiveSubscribeObject,
  event: { name: string; fieldsUpdated: readonly string[] | null },
): EventKind | 'changed' | 'other' | undefined {
  for (const kind of ['create', 'update', 'delete', 'association'] as const) {
    if (!names?.[kind].includes(event.name)) continue
    if (object[kind] !== false && (kind !== 'update' || touches(object.update, event.fieldsUpdated))) return kind
  }
  if (names?.changed.includes(event.name) && wantsChanges(object)) return 'changed'
  return object.others.includes(event.name) ? 'other' : undefined
}

/** Whether an update may concern a watched field. An update without a list of changed fields may have changed any. */
function touches(watched: EffectiveSubscribeObject['update'], changed: readonly string[] | null): boolean {
  if (watched === false) return false
  return watched === 'all' || changed === null || changed.some((name) => watched.has(name.toLowerCase()))
}
