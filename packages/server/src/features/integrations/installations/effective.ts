import type { Backfill, IntegrationContent, IntegrationField, ReadObject } from '@mortise/manifest'
import type { ConfigContent, ReadConfigObject, ReadFilter } from './content.ts'

/** A value of the provider and the name it gets in `mappedFields`; either may be a bracket path (`$['a']['b']`). */
export interface FieldMapping {
  /** Provider field. */
  from: string
  /** Name in messages. */
  to: string
}

/** How one object is read for one installation: the manifest's object with the config's overrides (contract 3.14). */
export interface EffectiveReadObject {
  /** The provider's name. */
  objectName: string
  /** Name in messages, if it differs. */
  mapToName?: string
  /** Cron in UTC; absent: only read when triggered. */
  schedule?: string
  /** Name of a destination, which may not exist yet. */
  destination?: string
  disabled: boolean
  /** Provider fields that are delivered under their own names, without the sources of mappings. */
  fields: 'all' | string[]
  mappings: FieldMapping[]
  /** By provider field: maps the delivered value to the provider's value. */
  valueMappings: Record<string, Record<string, string | number | boolean>>
  /** Absent: no backfill. */
  backfill?: Backfill
  /** Which records are read; all when absent. */
  fieldFilters?: ReadFilter[]
  /** Filters of the backfill, if it has its own. */
  backfillFilters?: ReadFilter[]
  /** Whether deleted records that the provider reports are delivered. */
  deletions: boolean
  /** When deleted records that the provider does not report are looked for, if they are. */
  deletionSchedule?: string
  delivery: { mode: 'auto' | 'onRequest'; pageSize?: number }
  /** Whether the manifest reads the object for every installation, regardless of the config. */
  enabledAlways: boolean
}

/** The parts of an installation that determine its effective objects. */
export interface EffectiveInput {
  /** Content of the integration's latest revision. */
  integration: Pick<IntegrationContent, 'read'>
  /** Definitions of objects that the latest revision removed but that this installation still reads. */
  removedReadObjects?: readonly ReadObject[]
  content: Pick<ConfigContent, 'read'>
}

/**
 * Returns the objects that an installation reads, by the provider's name: those of its config, and those that the
 * manifest reads for every installation. An object that a later revision removed keeps its old definition; a
 * destructive deploy pauses it.
 */
export function effectiveReadObjects({
  integration,
  removedReadObjects = [],
  content,
}: EffectiveInput): Map<string, EffectiveReadObject> {
  const effective = new Map<string, EffectiveReadObject>()
  const configs = content.read?.objects ?? {}
  for (const definition of [...(integration.read?.objects ?? []), ...removedReadObjects]) {
    const { objectName } = definition
    const config = Object.hasOwn(configs, objectName) ? configs[objectName] : undefined
    const removed = removedReadObjects.includes(definition)
    if (effective.has(objectName) || (config === undefined && definition.enabled !== 'always' && !removed)) continue
    effective.set(objectName, overlay(definition, config ?? {}))
  }
  return effective
}

/** Returns one object of the manifest with the config's overrides. What the config lacks is inherited, never unset. */
export function overlay(definition: ReadObject, config: ReadConfigObject): EffectiveReadObject {
  const { fields, mappings } = selection(definition, config)
  const schedule = config.schedule ?? definition.schedule
  const destination = config.destination ?? definition.destination
  const backfill = config.backfill ?? definition.backfill
  const deletions = config.deletions ?? definition.deletions
  const pageSize = definition.delivery?.pageSize
  return {
    objectName: definition.objectName,
    ...(definition.mapToName !== undefined && { mapToName: definition.mapToName }),
    ...(schedule && { schedule }),
    ...(destination && { destination }),
    disabled: config.disabled === true,
    fields,
    mappings,
    valueMappings: config.selectedValueMappings ?? {},
    ...(backfill && { backfill: { defaultPeriod: backfill.defaultPeriod } }),
    ...(config.fieldFilters && config.fieldFilters.length > 0 && { fieldFilters: config.fieldFilters }),
    ...(config.backfill?.fieldFilters && { backfillFilters: config.backfill.fieldFilters }),
    deletions: deletions?.enabled === 'always',
    ...(deletions?.schedule !== undefined && { deletionSchedule: deletions.schedule }),
    delivery: { mode: definition.delivery?.mode ?? 'auto', ...(pageSize !== undefined && { pageSize }) },
    enabledAlways: definition.enabled === 'always',
  }
}

/**
 * Selects the fields (contract 6.1): the required ones, the chosen optional ones, and the sources of mappings. A field
 * that the manifest maps is delivered under that name only.
 */
function selection(definition: ReadObject, config: ReadConfigObject): Pick<EffectiveReadObject, 'fields' | 'mappings'> {
  const fields = new Set<string>()
  const mappings = new Map<string, string>()
  const take = (field: IntegrationField, isRequired: boolean) => {
    if (field.fieldName === undefined) {
      // The default of an optional mapping is only a suggestion.
      if (isRequired && field.default) mappings.set(field.mapToName, field.default)
    } else if (field.mapToName) mappings.set(field.mapToName, field.fieldName)
    else fields.add(field.fieldName)
  }
  for (const field of definition.requiredFields ?? []) take(field, true)

  const optional = new Map((definition.optionalFields ?? []).map((field) => [field.fieldName, field]))
  for (const [name, isSelected] of Object.entries(config.selectedFields ?? {})) {
    if (isSelected) take(optional.get(name) ?? { fieldName: name }, false)
  }
  for (const [to, from] of Object.entries(config.selectedFieldMappings ?? {})) {
    if (from) mappings.set(to, from)
  }
  return {
    fields: config.selectedFieldsAuto === 'all' ? 'all' : [...fields],
    mappings: [...mappings].map(([to, from]) => ({ from, to })),
  }
}

/** Returns the fields to request from the provider for an object: its fields and the sources of its mappings. */
export function requestedFields({
  fields,
  mappings,
}: Pick<EffectiveReadObject, 'fields' | 'mappings'>): 'all' | string[] {
  return fields === 'all' ? 'all' : [...new Set([...fields, ...mappings.map(({ from }) => from)])]
}
