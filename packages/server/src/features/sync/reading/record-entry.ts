import { parseBracketPath } from '@mortise/manifest'
import type { ProviderRecord } from '@mortise/providers'

/** Which fields of a record are delivered, and under which names. */
export interface Selection {
  /** Provider fields delivered under their own (lower-cased) name; `all` for every field that is not mapped. */
  fields: 'all' | readonly string[]
  /** Mapped fields: the name in messages (bracket form builds nested output) and the provider field it comes from. */
  mappings: readonly { to: string; from: string }[]
  /** By provider field: what is delivered for which provider value (contract 6.4). */
  valueMappings: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Returns the fields to request from a connector. */
export function wantedFields({ fields, mappings }: Selection): 'all' | string[] {
  return fields === 'all' ? 'all' : [...new Set([...fields, ...mappings.map((mapping) => mapping.from)])]
}

/**
 * Compiles a selection into the function that converts a record to a JSON ResultEntry (contract 5.1). A field is in
 * `fields` or in `mappedFields`, never in both. A deleted record has `deleted: true`.
 *
 * @param options.withIds whether each entry has the `id` of its record, and not only that of a deleted one
 */
export function recordEntry(
  selection: Selection,
  { withIds = false }: { withIds?: boolean } = {},
): (record: ProviderRecord) => string {
  const valuesOf = recordValues(selection)
  return (record) => {
    const { fields, mappedFields } = valuesOf(record)
    const { raw, associations, deleted } = record
    // JSON leaves out undefined values.
    const id = withIds || deleted ? record.id : undefined
    return JSON.stringify({ fields, mappedFields, raw, associations, id, deleted })
  }
}

/** The parts of an entry that a selection decides. */
export interface RecordValues {
  fields: Record<string, unknown>
  /** Absent if the selection has no mappings. */
  mappedFields?: Record<string, unknown>
}

/** Compiles a selection into the function that chooses, names and converts the values of a record. */
export function recordValues(selection: Selection): (record: ProviderRecord) => RecordValues {
  const mappings = selection.mappings.map(({ to, from }) => ({
    to: parseBracketPath(to) ?? [to],
    from: from.toLowerCase(),
    path: parseBracketPath(from),
    deliver: valueMap(selection.valueMappings[from]),
  }))
  const mapped = new Set(mappings.map(({ from }) => from))
  const chosen =
    selection.fields === 'all'
      ? undefined
      : [...new Set(selection.fields.map((field) => field.toLowerCase()))].filter((field) => !mapped.has(field))
  const unmappedValues = new Map(
    Object.entries(selection.valueMappings)
      .map(([field, values]) => [field.toLowerCase(), valueMap(values)] as const)
      .filter(([field]) => !mapped.has(field)),
  )

  return (record) => {
    const fields: Record<string, unknown> = {}
    for (const name of chosen ?? Object.keys(record.fields)) {
      if (chosen === undefined && mapped.has(name)) continue
      const value = record.fields[name]
      if (value === undefined) continue
      define(fields, name, unmappedValues.get(name)?.(value) ?? value)
    }
    if (mappings.length === 0) return { fields }
    const mappedFields: Record<string, unknown> = {}
    for (const { to, from, path, deliver } of mappings) {
      const value = Object.hasOwn(record.fields, from) ? record.fields[from] : path ? at(record.raw, path) : undefined
      if (value !== undefined) setAt(mappedFields, to, deliver ? deliver(value) : value)
    }
    return { fields, mappedFields }
  }
}

/**
 * Inverts `{deliveredValue: providerValue}`. A value without a mapping passes unchanged; a list is mapped item by item.
 */
function valueMap(values: Readonly<Record<string, unknown>> | undefined): ((value: unknown) => unknown) | undefined {
  if (values === undefined || Object.keys(values).length === 0) return undefined
  const delivered = new Map(Object.entries(values).map(([to, from]) => [String(from), to]))
  const one = (value: unknown) => (typeof value === 'object' ? value : (delivered.get(String(value)) ?? value))
  return (value) => (Array.isArray(value) ? value.map(one) : one(value))
}

function at(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    current = (current as Record<string, unknown>)[key]
  }
  return current
}

function setAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let current = target
  for (const key of path.slice(0, -1)) {
    if (!Object.hasOwn(current, key) || typeof current[key] !== 'object' || current[key] === null)
      define(current, key, {})
    current = current[key] as Record<string, unknown>
  }
  define(current, path.at(-1) ?? '', value)
}

/** Sets an own property. A plain assignment would reach the prototype for a provider field named `__proto__`. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}
