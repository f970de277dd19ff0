import type { AgentObject } from '@mortise/manifest'
import {
  type EffectiveReadObject,
  effectiveReadObjects,
  type InstallationRecord,
  type WriteConfigObject,
} from '../../integrations/installations/index.ts'
import type { FieldMetadata, ObjectMetadata } from '../../provider-calls/object-metadata/index.ts'
import { inheritedMapping, noMapping, type WriteMapping } from '../../sync/writing/index.ts'
import { type FieldRules, fieldRules, fieldsNamed, type NamedField, pathOf } from './field-rules.ts'

/** A field of an object as agents see it. */
export interface ToolField {
  /** Name in arguments and results. */
  name: string
  /** Provider field, in the provider's spelling. */
  source: string
  path: string[]
  /** Name in messages, if the field is mapped. */
  to?: string
  isRead: boolean
  /** Whether agents may use it as a condition. */
  isCondition: boolean
  isCreated: boolean
  isUpdated: boolean
  /** Whether every record needs a value: agents cannot remove it. */
  isRequired: boolean
  /** Whether an update sets it only where it has no value. */
  isSetIfEmpty: boolean
  /** Name in a write. */
  writeName: string
  metadata?: FieldMetadata
  /** By delivered value: the provider's value. */
  values?: Readonly<Record<string, unknown>>
  /** Whether a write takes delivered values. */
  writesValues: boolean
}

/** What an installation allows agents to do with an object. */
export interface ToolObject {
  installation: InstallationRecord
  object: AgentObject
  /** Undefined if the installation does not read it. */
  read: EffectiveReadObject | undefined
  /** Undefined if the installation does not write it. */
  write: { config: WriteConfigObject; mapping: WriteMapping } | undefined
  rules: FieldRules
  named: readonly NamedField[]
  /** Paths of the provider fields that the manifest requires. */
  required: readonly string[][]
}

/** Fields beyond this number are neither conditions nor written; results have them. */
const fieldsMax = 200

export function toolObject(installation: InstallationRecord, object: AgentObject): ToolObject {
  const { objectName } = object
  const read = effectiveReadObjects(installation).get(objectName)
  const declared = installation.integration.write?.objects.find((one) => one.objectName === objectName)
  const configs = installation.content.write?.objects ?? {}
  const config = declared && Object.hasOwn(configs, objectName) ? configs[objectName] : undefined
  const inherited = inheritedMapping(installation, objectName)
  const named = [...(read?.mappings ?? []), ...[...inherited.fields].map(([to, from]) => ({ to, from }))]
  return {
    installation,
    object,
    read: read?.disabled ? undefined : read,
    write: config && { config, mapping: declared?.inheritMapping === true ? inherited : noMapping },
    rules: fieldRules(object, named),
    named,
    required: requiredPaths(installation, objectName, named),
  }
}

function requiredPaths(
  { integration, removedReadObjects }: Pick<InstallationRecord, 'integration' | 'removedReadObjects'>,
  objectName: string,
  named: readonly NamedField[],
): string[][] {
  const definitions = [...(integration.read?.objects ?? []), ...removedReadObjects]
  const { requiredFields = [] } = definitions.find((one) => one.objectName === objectName) ?? {}
  return requiredFields.flatMap(({ fieldName, mapToName }) => {
    const fields = mapToName === undefined ? [] : named.filter(({ to }) => to === mapToName).map(({ from }) => from)
    return [...new Set([...(fieldName === undefined ? [] : [fieldName]), ...fields])].map(pathOf)
  })
}

/**
 * Returns the fields that agents see: those that are read, in the order of the manifest, then those that are only
 * written. Without metadata, only the fields that manifest and config name.
 *
 * @param fixed provider fields whose values filters decide, in lower case
 */
export function toolFields(
  { object, read, write, rules, named, required }: ToolObject,
  metadata: ObjectMetadata | undefined,
  fixed: ReadonlySet<string>,
): ToolField[] {
  const described = new Map(
    Object.values(metadata?.fields ?? {}).map((field) => [field.fieldName.toLowerCase(), field]),
  )
  const uses = object.actions
  const resolved = (names: readonly string[] = []) => names.flatMap((name) => [name, ...fieldsNamed(name, named)])
  const unwritten = [...resolved(object.readOnlyFields), ...resolved(object.hiddenFields), ...fixed].map(pathOf)
  const maskedPaths = resolved(object.maskedFields).map(pathOf)
  const taken = new Set<string>()
  const fields: ToolField[] = []
  const add = (source: string, { to, isRead }: { to?: string; isRead: boolean }) => {
    const key = source.toLowerCase()
    const found = described.get(key)
    const field = found?.fieldName ?? source
    const path = pathOf(field)
    if (rules.isHidden(path) || fields.length >= fieldsMax) return
    const settings = write && settingsOf(write, field, to)
    const isWritable =
      write !== undefined &&
      found?.readOnly !== true &&
      key !== 'id' &&
      !fixed.has(key) &&
      !rules.isReadOnly(path) &&
      !contains(path, unwritten)
    const writeName = write && writeNameOf(write.mapping, field)
    const values = read && Object.hasOwn(read.valueMappings, field) ? read.valueMappings[field] : undefined
    fields.push({
      name: uniqueName(to ?? (isRead ? field.toLowerCase() : field), taken),
      source: field,
      path,
      ...(to !== undefined && { to }),
      isRead,
      isCondition: isRead && !rules.isMasked(path) && !contains(path, maskedPaths),
      isCreated: isWritable && uses.includes('create') && settings?.writeOnCreate !== 'never',
      isUpdated: isWritable && uses.includes('update') && settings?.writeOnUpdate !== 'never',
      isRequired: found?.isRequired === true || required.some((one) => startsWith(one, path)),
      isSetIfEmpty: settings?.writeOnUpdate === 'ifEmpty',
      writeName: writeName ?? field,
      ...(found && { metadata: found }),
      ...(values && { values }),
      writesValues: write !== undefined && write.mapping !== noMapping,
    })
  }

  const sources = new Set<string>()
  const once = (source: string, of: { to?: string; isRead: boolean }) => {
    if (of.to === undefined && sources.has(source.toLowerCase())) return
    sources.add(source.toLowerCase())
    add(source, of)
  }
  for (const { to, from } of read?.mappings ?? []) once(from, { to, isRead: true })
  if (read && read.fields !== 'all') for (const field of read.fields) once(field, { isRead: true })
  for (const [to, from] of write?.mapping.fields ?? [])
    if (!sources.has(from.toLowerCase())) once(from, { to, isRead: false })
  for (const field of described.values()) once(field.fieldName, { isRead: read?.fields === 'all' })
  return fields.filter(({ isRead, isCreated, isUpdated }) => isRead || isCreated || isUpdated)
}

/** The name under which a write takes a provider field. */
function writeNameOf({ fields }: WriteMapping, source: string): string {
  return [...fields].find(([, from]) => from.toLowerCase() === source.toLowerCase())?.[0] ?? source
}

function settingsOf({ config, mapping }: NonNullable<ToolObject['write']>, source: string, to: string | undefined) {
  const settings = config.selectedFieldSettings ?? {}
  for (const name of [writeNameOf(mapping, source), source, to])
    if (name !== undefined && Object.hasOwn(settings, name)) return settings[name]
  return undefined
}

/** Whether one of the paths leads to something inside the field: then the field as a whole is refused. */
function contains(path: readonly string[], paths: readonly string[][]): boolean {
  return paths.some((one) => one.length > path.length && startsWith(one, path))
}

/** Whether a path begins with another one, in any case. */
export function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((part, index) => part.toLowerCase() === path[index]?.toLowerCase())
}

const nameMax = 64

/**
 * Returns a name that models accept as a key: at most 64 letters, digits, `_`, `.` and `-`. A path in bracket form is
 * written with dots.
 */
export function argumentName(name: string): string {
  const text = pathOf(name)
    .join('.')
    .slice(0, 4 * nameMax)
    .replace(/[^a-zA-Z0-9_.-]+/g, '_')
  return text.slice(0, nameMax) || 'field'
}

function uniqueName(name: string, taken: Set<string>): string {
  const wanted = argumentName(name)
  let unique = wanted
  for (let number = 2; taken.has(unique); number++) unique = `${wanted.slice(0, nameMax - 4)}_${number}`
  taken.add(unique)
  return unique
}
