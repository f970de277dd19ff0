import { type Json, plainText } from './json-values.ts'
import type { References, Shape } from './schemas.ts'

/** Fields of one object; a record of more is described by its sample. */
const fieldsMax = 300
/** Choices of one field. */
const choicesMax = 60

/** Returns the shapes of a record's properties, by name. */
export function propertyShapes(record: Shape, references: References): Map<string, Shape> {
  return new Map(
    [...record.properties].slice(0, fieldsMax).map(([name, schema]) => [name, references.shape(schema)] as const),
  )
}

/**
 * Describes the fields of a record, from its schema.
 *
 * @param required names that creating a record requires
 */
export function fieldsOf(properties: ReadonlyMap<string, Shape>, required: ReadonlySet<string>): Json {
  return Object.fromEntries(
    [...properties]
      .filter(([name]) => name !== '__proto__' && name.length <= 100 && name === plainText(name) && !/[{}]/.test(name))
      .map(([name, shape]) => [name, fieldOf(shape, required.has(name))]),
  )
}

function fieldOf(shape: Shape, isRequired: boolean): string | Json {
  const valueType = valueTypeOf(shape)
  const values =
    valueType === 'singleSelect' ? [...new Set(shape.choices)].slice(0, choicesMax).map((value) => ({ value })) : []
  if (!isRequired && !shape.readOnly && values.length === 0) return valueType
  return {
    valueType,
    ...(shape.readOnly && { readOnly: true }),
    ...(isRequired && { isRequired: true }),
    ...(values.length > 0 && { values }),
  }
}

function valueTypeOf({ type, format, choices }: Shape): string {
  if (type === 'integer') return 'int'
  if (type === 'number') return 'float'
  if (type === 'boolean') return 'boolean'
  if (type !== 'string') return 'other'
  if (format === 'date-time') return 'datetime'
  if (format === 'date') return 'date'
  return choices.length > 1 && !choices.some((choice) => /\{\{|^\s*$/.test(choice)) ? 'singleSelect' : 'string'
}

/** Records of JSON:API have their fields in `attributes`. */
export function flattened(record: Shape, references: References): { shape: Shape; flatten?: string[] } {
  const attributes = record.properties.get('attributes')
  if (attributes === undefined || !record.properties.has('id')) return { shape: record }
  const inner = references.shape(attributes)
  if (inner.properties.size === 0) return { shape: record }
  const properties = new Map([...record.properties, ...inner.properties])
  properties.delete('attributes')
  return { shape: { ...record, properties }, flatten: ['attributes'] }
}
