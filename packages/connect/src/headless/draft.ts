import type {
  ConfigContent,
  FieldMetadata,
  HydratedField,
  HydratedObject,
  HydratedRevision,
  ReadConfigObject,
  WriteConfigObject,
} from './wire.ts'

/** A field of the customer's account. */
export interface FieldItem {
  name: string
  label: string
  type?: FieldMetadata['valueType']
  isCustom: boolean
  /** Name that the builder gives it, for people. */
  mapTo?: string
  /** Its key in records, if the builder gives it another. */
  mapToName?: string
  /** Values of a select. */
  values: readonly { value: string; label: string }[]
}

/** A field of the builder's, for which the customer chooses a field of the account. */
export interface MappingDraft {
  name: string
  label: string
  prompt?: string
  isRequired: boolean
  /** Offered by the builder's page. */
  isDynamic: boolean
  /** The chosen field of the account. */
  field?: string
  /** Whether the choice is a suggestion that the customer has not touched. */
  isSuggested: boolean
  /** The builder's values, each of which may be matched to one of the field's values. */
  mappedValues: readonly { value: string; label: string }[]
  /** The account's value by the builder's value. */
  valueMap: Readonly<Record<string, string>>
}

export interface ObjectDraft {
  objectName: string
  label: string
  isOn: boolean
  /** Whether the fields of the account could not be read. */
  hasError: boolean
  required: readonly FieldItem[]
  optional: readonly FieldItem[]
  /** All fields of the account, to choose from in mappings. */
  all: readonly FieldItem[]
  selected: ReadonlySet<string>
  /** Whether all fields are read, also later ones. */
  isAll: boolean
  canBeAll: boolean
  mappings: readonly MappingDraft[]
  /** What is configured already; settings that a customer cannot choose stay. */
  stored?: ReadConfigObject
}

export interface WriteDraft {
  objectName: string
  label: string
  isOn: boolean
  stored?: WriteConfigObject
}

/** What a customer chooses of an integration. */
export interface Draft {
  provider: string
  objects: readonly ObjectDraft[]
  writes: readonly WriteDraft[]
}

/** A field that the builder's page offers in addition to those of the manifest. */
export interface DynamicMapping {
  mapToName: string
  mapToDisplayName?: string
  prompt?: string
  default?: string
  /** The field is this one; only its values are matched. */
  fieldName?: string
  mappedValues?: { mappedValue: string; mappedDisplayValue?: string }[]
}

/** Fields that the builder's page offers, by object. */
export type DynamicMappings = Record<string, DynamicMapping[]>

export type DraftIssue =
  | { kind: 'mapping'; objectName: string; name: string }
  | { kind: 'value'; objectName: string; name: string }
  | { kind: 'empty' }

/** @param content what is installed already */
export function createDraft(
  { content: integration }: HydratedRevision,
  content?: ConfigContent,
  dynamic: DynamicMappings = {},
): Draft {
  const reads = content?.read?.objects
  const writes = content?.write?.objects
  return {
    provider: integration.provider,
    objects: (integration.read?.objects ?? []).map((object) =>
      objectDraft(object, reads, dynamic[object.objectName] ?? dynamic[object.mapToName ?? ''] ?? []),
    ),
    writes: (integration.write?.objects ?? []).map(({ objectName, displayName }) => {
      const stored = writes?.[objectName]
      return {
        objectName,
        label: displayName,
        isOn: content ? stored !== undefined : true,
        ...(stored && { stored }),
      }
    }),
  }
}

function objectDraft(
  object: HydratedObject,
  reads: Record<string, ReadConfigObject> | undefined,
  dynamic: DynamicMapping[],
): ObjectDraft {
  const { objectName, requiredFields = [], optionalFields = [], allFieldsMetadata = {} } = object
  const stored = reads?.[objectName]
  const item = (field: HydratedField) => fieldItem(field, allFieldsMetadata)
  const all = Object.values(allFieldsMetadata)
    .map((field) => fieldItem(field, allFieldsMetadata))
    .toSorted((a, b) => a.label.localeCompare(b.label))
  const required = requiredFields.filter(hasField).map(item)
  const names = new Set(required.map(({ name }) => name))
  const optional = optionalFields
    .filter(hasField)
    .map(item)
    .filter(({ name }) => !names.has(name))
  const mappings = [
    ...requiredFields.filter(isMapped).map((field) => mappingOf(field, true, false)),
    ...optionalFields.filter(isMapped).map((field) => mappingOf(field, false, false)),
    ...dynamic.map((field) => mappingOf(field, false, true)),
  ]
  return {
    objectName,
    label: object.mapToDisplayName ?? object.displayName,
    isOn: reads ? stored !== undefined && stored.disabled !== true : true,
    hasError: object.error !== undefined,
    required,
    optional: optional.toSorted((a, b) => a.label.localeCompare(b.label)),
    all,
    selected: new Set(Object.entries(stored?.selectedFields ?? {}).flatMap(([name, isOn]) => (isOn ? [name] : []))),
    isAll: stored?.selectedFieldsAuto === 'all',
    canBeAll: object.optionalFieldsAuto === 'all',
    mappings: mappings.map((mapping) => withChoice(mapping, all, stored)),
    ...(stored && { stored }),
  }
}

const hasField = ({ fieldName }: HydratedField) => fieldName !== undefined
const isMapped = ({ fieldName, mapToName }: HydratedField) => fieldName === undefined && mapToName !== undefined

function fieldItem(field: HydratedField, metadata: Record<string, FieldMetadata>): FieldItem {
  const name = field.fieldName ?? ''
  const known = metadata[name]
  const mapTo = field.mapToDisplayName ?? field.mapToName
  return {
    name,
    label: known?.displayName ?? field.displayName ?? name,
    isCustom: known?.isCustom === true,
    values: (known?.values ?? []).map(({ value, displayValue }) => ({ value, label: displayValue })),
    ...(known?.valueType && { type: known.valueType }),
    ...(mapTo !== undefined && { mapTo }),
    ...(field.mapToName !== undefined && { mapToName: field.mapToName }),
  }
}

type Choosing = MappingDraft & { default?: string }

function mappingOf(field: HydratedField | DynamicMapping, isRequired: boolean, isDynamic: boolean): Choosing {
  const { mapToName = '', mapToDisplayName, prompt } = field
  const mappedValues = 'mappedValues' in field ? (field.mappedValues ?? []) : []
  return {
    name: mapToName,
    label: mapToDisplayName ?? mapToName,
    ...(prompt && { prompt }),
    isRequired,
    isDynamic,
    isSuggested: false,
    mappedValues: mappedValues.map(({ mappedValue, mappedDisplayValue }) => ({
      value: mappedValue,
      label: mappedDisplayValue ?? mappedValue,
    })),
    valueMap: {},
    ...(field.default && { default: field.default }),
    ...(isDynamic && field.fieldName !== undefined && { field: field.fieldName }),
  }
}

/** Takes the stored choice, the default, or a field of the same name. */
function withChoice(
  { default: preset, ...mapping }: Choosing,
  all: readonly FieldItem[],
  stored: ReadConfigObject | undefined,
): MappingDraft {
  const chosen = stored?.selectedFieldMappings?.[mapping.name] ?? mapping.field
  if (stored || chosen !== undefined) {
    const field = chosen || (mapping.isRequired ? preset : undefined)
    if (!field) return mapping
    const values = Object.entries(stored?.selectedValueMappings?.[field] ?? {})
    return { ...mapping, field, valueMap: Object.fromEntries(values.map(([name, value]) => [name, String(value)])) }
  }
  const suggestion = all.find(({ name }) => name === preset) ?? sameName(mapping, all)
  if (suggestion) return { ...mapping, field: suggestion.name, isSuggested: true }
  // A default that the account does not describe may exist all the same.
  return preset && mapping.isRequired ? { ...mapping, field: preset, isSuggested: true } : mapping
}

const bare = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

function sameName({ name, label }: MappingDraft, all: readonly FieldItem[]): FieldItem | undefined {
  const wanted = new Set([bare(name), bare(label)])
  return all.find((field) => wanted.has(bare(field.name)) || wanted.has(bare(field.label)))
}

/** Returns what is missing or contradictory. */
export function draftIssues({ objects, writes }: Draft): DraftIssue[] {
  if (!objects.some(({ isOn }) => isOn) && !writes.some(({ isOn }) => isOn)) return [{ kind: 'empty' }]
  return objects.filter(({ isOn }) => isOn).flatMap(objectIssues)
}

export function objectIssues({ objectName, mappings }: ObjectDraft): DraftIssue[] {
  return mappings.flatMap(({ name, isRequired, field, valueMap }): DraftIssue[] => {
    if (field === undefined) return isRequired ? [{ kind: 'mapping', objectName, name }] : []
    const values = Object.values(valueMap).filter(Boolean)
    return new Set(values).size < values.length ? [{ kind: 'value', objectName, name }] : []
  })
}

/**
 * Returns the config of one object. What is stored and what the customer cannot choose here stays, such as a schedule,
 * or mappings that another page offered.
 */
export function readConfig(object: ObjectDraft): ReadConfigObject {
  const { stored = {}, objectName, selected, isAll, isOn, mappings } = object
  const { disabled: _, selectedFieldsAuto: __, ...kept } = stored
  const offered = mappings.filter(({ isDynamic }) => isDynamic)
  const valueMappings = chosenValues(object)
  return {
    ...kept,
    objectName,
    selectedFields: Object.fromEntries([...selected].toSorted().map((name) => [name, true])),
    ...(isAll && { selectedFieldsAuto: 'all' }),
    selectedFieldMappings: chosenMappings(object),
    ...((Object.keys(valueMappings).length > 0 || stored.selectedValueMappings) && {
      selectedValueMappings: valueMappings,
    }),
    ...(offered.length > 0 && { dynamicMappingsInput: offered.map(offeredMapping) }),
    ...(object.stored && !isOn && { disabled: true }),
  }
}

function chosenMappings({ mappings, stored }: ObjectDraft): Record<string, string> {
  const names = new Set(mappings.map(({ name }) => name))
  const others = Object.entries(stored?.selectedFieldMappings ?? {}).filter(([name]) => !names.has(name))
  const chosen = mappings.flatMap(({ name, field }) => (field === undefined ? [] : [[name, field] as const]))
  return Object.fromEntries([...others, ...chosen])
}

function chosenValues({ mappings, stored }: ObjectDraft): NonNullable<ReadConfigObject['selectedValueMappings']> {
  const matched = mappings.filter(({ mappedValues }) => mappedValues.length > 0)
  const before = new Set(matched.flatMap(({ name, field }) => [stored?.selectedFieldMappings?.[name], field]))
  const others = Object.entries(stored?.selectedValueMappings ?? {}).filter(([field]) => !before.has(field))
  const chosen = matched.flatMap(({ field, valueMap }) => {
    const entries = Object.entries(valueMap).filter(([, value]) => value !== '')
    return field !== undefined && entries.length > 0 ? [[field, Object.fromEntries(entries)] as const] : []
  })
  return Object.fromEntries([...others, ...chosen])
}

function offeredMapping({ name, label, mappedValues }: MappingDraft): Record<string, unknown> {
  return {
    mapToName: name,
    mapToDisplayName: label,
    ...(mappedValues.length > 0 && {
      mappedValues: mappedValues.map((one) => ({ mappedValue: one.value, mappedDisplayValue: one.label })),
    }),
  }
}

/** Returns the config of a new installation. */
export function draftContent({ provider, objects, writes }: Draft): ConfigContent {
  const reads = objects.filter(({ isOn }) => isOn).map((object) => [object.objectName, readConfig(object)])
  return {
    provider,
    ...(reads.length > 0 && { read: { objects: Object.fromEntries(reads) } }),
    ...(writes.some(({ isOn }) => isOn) && { write: { objects: writeConfigs(writes) } }),
  }
}

export function writeConfigs(writes: readonly WriteDraft[]): Record<string, WriteConfigObject> {
  return Object.fromEntries(
    writes.filter(({ isOn }) => isOn).map(({ objectName, stored }) => [objectName, { ...stored, objectName }]),
  )
}

/** Whether the customer has changed the object since it was saved. */
export function isChanged(object: ObjectDraft, saved: ObjectDraft | undefined): boolean {
  if (!saved) return true
  return object.isOn !== saved.isOn || JSON.stringify(readConfig(object)) !== JSON.stringify(readConfig(saved))
}

/** Returns what changes a saved draft into this one; undefined if nothing differs. */
export function draftChange(draft: Draft, saved: Draft) {
  const changed = draft.objects.filter((object) => {
    const before = saved.objects.find(({ objectName }) => objectName === object.objectName)
    return isChanged(object, before) && (object.isOn || object.stored !== undefined)
  })
  const isOn = ({ writes }: Draft) => writes.map((one) => `${one.objectName} ${one.isOn}`).join()
  const writesChanged = isOn(draft) !== isOn(saved)
  const updateMask = [
    ...changed.map(({ objectName }) => `config.content.read.objects.${objectName}`),
    ...(writesChanged ? ['config.content.write.objects'] : []),
  ]
  if (updateMask.length === 0) return undefined
  return {
    updateMask,
    ...(changed.length > 0 && {
      read: Object.fromEntries(changed.map((object) => [object.objectName, readConfig(object)])),
    }),
    ...(writesChanged && { write: writeConfigs(draft.writes) }),
  }
}
