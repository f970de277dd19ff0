import type { IntegrationField } from '@mortise/manifest'
import type { InstallationRecord, ReadConfigObject } from '../../integrations/installations/index.ts'
import { pathOf, setAt, take, valueAt } from './nested-fields.ts'

/** How the names and values of a read object lead back to the provider's (contract 6.4). */
export interface WriteMapping {
  /** Provider field by the name in messages; either may be in bracket form. */
  fields: ReadonlyMap<string, string>
  /** Names that could be mapped but are not: what callers send under them reaches nobody. */
  unmapped: readonly string[]
  /** By provider field in lower case: the provider's value by the one that is delivered. */
  values: ReadonlyMap<string, Readonly<Record<string, unknown>>>
}

export const noMapping: WriteMapping = { fields: new Map(), unmapped: [], values: new Map() }

/** The mapping that a write object inherits from the read object of its name. */
export function inheritedMapping(
  {
    integration,
    removedReadObjects,
    content,
  }: Pick<InstallationRecord, 'integration' | 'removedReadObjects' | 'content'>,
  objectName: string,
): WriteMapping {
  const definitions = [...(integration.read?.objects ?? []), ...removedReadObjects]
  const definition = definitions.find((object) => object.objectName === objectName)
  const configs = content.read?.objects ?? {}
  const config: ReadConfigObject = (Object.hasOwn(configs, objectName) && configs[objectName]) || {}
  const fields = new Map<string, string>()
  const mapped = new Set<string>()
  const add = (field: IntegrationField, isRequired: boolean) => {
    if (field.mapToName === undefined) return
    mapped.add(field.mapToName)
    // As in reads: the default of a mapping that the user may leave open is only an offer.
    const from = field.fieldName ?? (isRequired ? field.default : undefined)
    if (from) fields.set(field.mapToName, from)
  }
  for (const field of definition?.requiredFields ?? []) add(field, true)
  for (const field of definition?.optionalFields ?? []) add(field, false)
  for (const { mapToName } of config.dynamicMappingsInput ?? []) {
    if (typeof mapToName === 'string') mapped.add(mapToName)
  }
  for (const [to, from] of Object.entries(config.selectedFieldMappings ?? {})) {
    mapped.add(to)
    if (from) fields.set(to, from)
  }
  const values = Object.entries(config.selectedValueMappings ?? {})
  return {
    fields,
    unmapped: [...mapped].filter((name) => !fields.has(name)),
    values: new Map(values.map(([field, values]) => [field.toLowerCase(), values])),
  }
}

/** A caller's record as the provider has it. A mapped name wins over the same field under the provider's name. */
export function providerRecord(
  { fields, unmapped, values }: WriteMapping,
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const rest = structuredClone(sent) as Record<string, unknown>
  const takeNamed = (name: string) => take(rest, Object.hasOwn(rest, name) ? [name] : pathOf(name))
  const mapped = [...fields].map(([to, from]) => ({ from, value: takeNamed(to) }))
  for (const name of unmapped) takeNamed(name)
  const record: Record<string, unknown> = {}
  const put = (field: string, value: unknown) => {
    if (value !== undefined) setAt(record, pathOf(field), providerValue(values.get(field.toLowerCase()), value))
  }
  for (const [field, value] of Object.entries(rest)) put(field, value)
  for (const { from, value } of mapped) put(from, value)
  return record
}

/** The names in a caller's record that could be mapped but are not. */
export function unmappedNames({ unmapped }: WriteMapping, sent: Readonly<Record<string, unknown>>): string[] {
  return unmapped.filter((name) => valueAt(sent, Object.hasOwn(sent, name) ? [name] : pathOf(name)) !== undefined)
}

/** A value that is not mapped passes unchanged, a list is mapped item by item. */
function providerValue(values: Readonly<Record<string, unknown>> | undefined, value: unknown): unknown {
  if (values === undefined) return value
  if (Array.isArray(value)) return value.map((item) => providerValue(values, item))
  return typeof value !== 'object' && Object.hasOwn(values, String(value)) ? values[String(value)] : value
}
