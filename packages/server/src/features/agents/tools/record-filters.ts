import type { FieldFilter, ProviderRecord } from '@mortise/providers'
import { fieldsNamed, pathOf } from './field-rules.ts'
import { consumerMissing } from './tool-error.ts'
import type { ToolObject } from './tool-fields.ts'

/** Who calls, as far as filters name it. */
export interface FilterValues {
  groupRef: string
  consumerRef: string | undefined
}

/** A condition that applies to each call. */
export interface RecordFilter {
  /** Provider field. */
  field: string
  path: string[]
  /** The provider's value. */
  value: string | number | boolean
  /** The value in messages. */
  delivered: string | number | boolean
  /** Whether new records get the value, and updates cannot change it. */
  isFixed: boolean
}

/**
 * Returns the conditions of a call: those of the manifest, and those with which the installation reads the object.
 *
 * @throws ToolError if a condition names the consumer and the call has none
 */
export function recordFilters({ object, read, named }: ToolObject, values: FilterValues): RecordFilter[] {
  const ruled = (object.filters ?? []).map(({ fieldName, value }): RecordFilter => {
    const field = fieldsNamed(fieldName, named)[0] ?? fieldName
    const delivered = filled(value, values)
    const mapped = read && Object.hasOwn(read.valueMappings, field) ? read.valueMappings[field] : undefined
    const provided = mapped && Object.hasOwn(mapped, delivered) ? mapped[delivered] : undefined
    return { field, path: pathOf(field), value: provided ?? delivered, delivered, isFixed: true }
  })
  const configured = (read?.fieldFilters ?? []).flatMap(({ fieldName, value }): RecordFilter[] =>
    value === undefined ? [] : [{ field: fieldName, path: pathOf(fieldName), value, delivered: value, isFixed: false }],
  )
  return [...ruled, ...configured]
}

/** Returns the provider fields whose values the filters of a manifest decide, in lower case. */
export function fixedFields({ object, named }: Pick<ToolObject, 'object' | 'named'>): Set<string> {
  const names = (object.filters ?? []).flatMap(({ fieldName }) => [fieldName, ...fieldsNamed(fieldName, named)])
  return new Set(names.map((name) => name.toLowerCase()))
}

/** Returns a text with the ids of the call. @throws ToolError if it names the consumer and the call has none */
export function filled(template: string, { groupRef, consumerRef }: FilterValues): string {
  if (template.includes('{{consumer}}') && consumerRef === undefined) throw consumerMissing()
  return template
    .split('{{group}}')
    .map((part) => part.split('{{consumer}}').join(consumerRef ?? ''))
    .join(groupRef)
}

export function toProviderFilters(filters: readonly RecordFilter[]): FieldFilter[] {
  return filters.map(({ field, value }) => ({ field, operator: 'eq', value }))
}

/** Whether a record fits all conditions. A record without the field does not. */
export function fits({ fields, raw }: ProviderRecord, filters: readonly RecordFilter[]): boolean {
  return filters.every(({ field, path, value }) => {
    const key = field.toLowerCase()
    const found = Object.hasOwn(fields, key) ? fields[key] : at(raw, path)
    return Array.isArray(found) ? found.some((item) => isEqual(item, value)) : isEqual(found, value)
  })
}

function isEqual(found: unknown, value: string | number | boolean): boolean {
  return found !== null && ['string', 'number', 'boolean'].includes(typeof found) && String(found) === String(value)
}

function at(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    current = (current as Record<string, unknown>)[key]
  }
  return current
}
