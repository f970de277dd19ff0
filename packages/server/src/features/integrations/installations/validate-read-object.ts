import { parseBracketPath, type ReadObject, validateSchedule } from '@mortise/manifest'
import type { ReadConfigObject } from './content.ts'
import { overlay } from './effective.ts'
import type { ObjectIssue } from './object-issue.ts'
import { unknownFieldIssues } from './unknown-fields.ts'

export interface ReadRules {
  /** The shortest interval between scheduled reads. */
  readIntervalMinMs: number
  /** Whether the provider can filter what is read of an object. */
  canFilter(objectName: string): boolean
  /** Whether the provider reports deleted records of an object. */
  reportsDeletions(objectName: string): boolean
  /** Names of all fields of an object; undefined where they are not known without asking the provider. */
  knownFields(objectName: string): readonly string[] | undefined
}

type OwnRules = Pick<ReadRules, 'readIntervalMinMs'>

/** Checks the config of one read object against its definition (contract 3.14, 6.4). Types are right already. */
export function readObjectIssues(definition: ReadObject, config: ReadConfigObject, rules: ReadRules): ObjectIssue[] {
  return [
    ...objectOwnIssues(config, rules),
    ...(rules.canFilter(definition.objectName) ? [] : refusedFilters(config)),
    ...deletionIssues(definition, config, rules),
    ...mappingIssues(definition, config),
    ...selectionIssues(definition, config),
    ...unknownFieldIssues(definition, config, rules.knownFields(definition.objectName)),
  ]
}

/** What is wrong with it whatever its definition. */
export function objectOwnIssues(config: ReadConfigObject, rules: OwnRules): ObjectIssue[] {
  return [
    ...scheduleIssues(config, rules),
    ...backfillIssues(config),
    ...filterIssues(config),
    ...valueMappingIssues(config),
    ...nameIssues(config),
  ]
}

const hourMs = 3_600_000

function scheduleIssues({ schedule, deletions }: ReadConfigObject, { readIntervalMinMs }: OwnRules): ObjectIssue[] {
  return [
    ...cronIssues(['schedule'], schedule, {
      leastMs: readIntervalMinMs,
      remedy: 'Read less often, or have the operator lower MORTISE_READ_INTERVAL_MIN.',
    }),
    ...cronIssues(['deletions', 'schedule'], deletions?.schedule, {
      leastMs: hourMs,
      remedy: 'Look for deleted records less often.',
    }),
  ]
}

function cronIssues(
  path: string[],
  schedule: string | undefined,
  { leastMs, remedy }: { leastMs: number; remedy: string },
): ObjectIssue[] {
  if (schedule === undefined) return []
  const check = validateSchedule(schedule)
  const issue = { path, value: schedule }
  if (!check.valid)
    return [
      {
        ...issue,
        detail: `The schedule can never be followed: ${check.message}.`,
        remedy: 'Write a cron expression of five fields, in UTC, such as "*/30 * * * *".',
      },
    ]
  if (check.leastIntervalMs >= leastMs) return []
  return [
    {
      ...issue,
      detail: `The schedule reads every ${check.leastIntervalMs / 1000} s; here ${leastMs / 1000} s is the least.`,
      remedy,
    },
  ]
}

function backfillIssues({ backfill }: ReadConfigObject): ObjectIssue[] {
  if (!backfill) return []
  const { days, fullHistory } = backfill.defaultPeriod
  if ((days !== undefined) !== (fullHistory === true)) return []
  return [
    {
      path: ['backfill', 'defaultPeriod'],
      value: backfill.defaultPeriod,
      detail: 'A backfill has either days or fullHistory: true, and not both.',
      remedy: 'Keep one of the two; days: 0 means no backfill.',
    },
  ]
}

function filtersOf({ fieldFilters = [], backfill }: ReadConfigObject) {
  return [
    { path: ['fieldFilters'], filters: fieldFilters },
    { path: ['backfill', 'fieldFilters'], filters: backfill?.fieldFilters ?? [] },
  ].filter(({ filters }) => filters.length > 0)
}

/** Of each field there is one condition, with a value. */
function filterIssues(config: ReadConfigObject): ObjectIssue[] {
  return filtersOf(config).flatMap(({ path, filters }) => {
    const seen = new Set<string>()
    return filters.flatMap(({ fieldName, value }, at): ObjectIssue[] => {
      const twice = seen.has(fieldName.toLowerCase())
      seen.add(fieldName.toLowerCase())
      if (value === undefined)
        return [
          { path: [...path, `${at}`, 'value'], detail: `The filter of ${fieldName} has no value to be equal to.` },
        ]
      if (!twice) return []
      return [
        {
          path: [...path, `${at}`, 'fieldName'],
          value: fieldName,
          detail: `There are two filters of the field ${fieldName}.`,
          remedy: 'Keep one of them: a record has to fit all filters.',
        },
      ]
    })
  })
}

function refusedFilters(config: ReadConfigObject): ObjectIssue[] {
  return filtersOf(config).map(({ path, filters }) => ({
    path,
    value: filters,
    detail: 'Filters are not supported for this provider.',
    remedy: 'Remove the filters and filter the records that arrive.',
  }))
}

function deletionIssues({ objectName }: ReadObject, { deletions }: ReadConfigObject, rules: ReadRules): ObjectIssue[] {
  if (deletions?.enabled !== 'always' || rules.reportsDeletions(objectName)) return []
  return [
    {
      path: ['deletions', 'enabled'],
      value: deletions.enabled,
      detail: `The provider does not report deleted records of ${objectName}.`,
      remedy: 'Remove deletions.',
    },
  ]
}

/** Every mapping that is required has a source, and no name in messages has two. */
function mappingIssues(definition: ReadObject, { selectedFields = {}, selectedFieldMappings = {} }: ReadConfigObject) {
  const issues: ObjectIssue[] = []
  const fixed = new Map<string, string>()
  for (const field of definition.requiredFields ?? []) {
    if (field.fieldName !== undefined) {
      if (field.mapToName) fixed.set(field.mapToName, field.fieldName)
    } else if (!field.default && !own(selectedFieldMappings, field.mapToName))
      issues.push({
        path: ['selectedFieldMappings', field.mapToName],
        detail: `The field ${field.mapToName} must be mapped to a field of the provider.`,
        remedy: `Set selectedFieldMappings.${field.mapToName} to the provider’s field.`,
      })
  }
  for (const field of definition.optionalFields ?? []) {
    const isSelected = field.fieldName !== undefined && own(selectedFields, field.fieldName) === true
    if (isSelected && field.mapToName) fixed.set(field.mapToName, field.fieldName ?? '')
  }
  for (const [to, from] of Object.entries(selectedFieldMappings)) {
    const taken = fixed.get(to)
    if (from && taken !== undefined && taken !== from)
      issues.push({
        path: ['selectedFieldMappings', to],
        value: from,
        detail: `The name ${to} is already that of the field ${taken}.`,
        remedy: 'Give every delivered field a different name.',
      })
  }
  return issues
}

function valueMappingIssues({ selectedValueMappings = {} }: ReadConfigObject): ObjectIssue[] {
  return Object.entries(selectedValueMappings)
    .filter(([, values]) => new Set(Object.values(values)).size < Object.keys(values).length)
    .map(([field, values]) => ({
      path: ['selectedValueMappings', field],
      value: values,
      detail: `A value of the field ${field} is mapped to two values.`,
      remedy: 'Map each value of the provider once.',
    }))
}

/** A name that begins like a bracket path must be one. */
function nameIssues({ selectedFields = {}, selectedFieldMappings = {} }: ReadConfigObject): ObjectIssue[] {
  const names = [
    ...Object.keys(selectedFields).map((name) => ({ name, path: ['selectedFields', name] })),
    ...Object.entries(selectedFieldMappings).flatMap(([to, from]) => [
      { name: to, path: ['selectedFieldMappings', to] },
      { name: from, path: ['selectedFieldMappings', to] },
    ]),
  ]
  return names
    .filter(({ name }) => name.startsWith('$[') && parseBracketPath(name) === undefined)
    .map(({ name, path }) => ({
      path,
      value: name,
      detail: `${name} is not a path in bracket form.`,
      remedy: "Write nested names as $['address']['city'] (RFC 9535).",
    }))
}

/**
 * Where the manifest offers a choice of fields, something must come of it; an object without any is delivered as raw
 * records.
 */
function selectionIssues(definition: ReadObject, config: ReadConfigObject): ObjectIssue[] {
  const { requiredFields = [], optionalFields = [], optionalFieldsAuto } = definition
  const hasChoice = requiredFields.length + optionalFields.length > 0 || optionalFieldsAuto !== undefined
  const { fields, mappings } = overlay(definition, config)
  if (!hasChoice || fields === 'all' || fields.length + mappings.length > 0) return []
  // A required mapping without a source says more precisely what is missing.
  if (requiredFields.length > 0) return []
  return [
    {
      path: ['selectedFields'],
      detail: 'No field of the object would be read.',
      remedy: 'Choose at least one field in selectedFields, or set selectedFieldsAuto to "all".',
    },
  ]
}

function own<T>(map: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}
