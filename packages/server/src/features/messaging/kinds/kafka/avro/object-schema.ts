import type { StoredType } from '../../tables/columns.ts'
import { avroName } from './names.ts'

/** What a field of the record of an object has. Every field is nullable, and null by default. */
export type FieldType = Exclude<StoredType, 'json' | 'text'> | 'string' | 'unknown'

export interface SchemaField {
  name: string
  type: FieldType
  /** As the schema has it: a field that somebody else added stays as it is. */
  json: object
}

/** The schema of messages with records of one object, which grows with the fields of the records. */
export interface ObjectSchema {
  fields: ReadonlyMap<string, SchemaField>
  /** Its JSON. */
  text: string
}

/** Maximum number of fields. Values of others are in `_mortise_more`. */
export const fieldsMax = 1_000

const avroTypes: Record<Exclude<FieldType, 'unknown'>, unknown> = {
  boolean: 'boolean',
  integer: 'long',
  number: 'double',
  date: { type: 'int', logicalType: 'date' },
  datetime: { type: 'long', logicalType: 'timestamp-millis' },
  string: 'string',
}

/** Returns the field of this name in Avro. `doc` has the name in messages where Avro does not allow it. */
export function newField(name: string, type: Exclude<FieldType, 'unknown'>, original: string): SchemaField {
  const json = {
    name,
    type: ['null', avroTypes[type]],
    default: null,
    ...(original !== name && { doc: original }),
  }
  return { name, type, json }
}

const string = (name: string) => ({ name, type: 'string', default: '' })
const optional = (name: string) => ({ name, type: ['null', 'string'], default: null })

/** Fields of a message, in their order. */
export const headerTexts = [
  'action',
  'projectId',
  'provider',
  'groupRef',
  'groupName',
  'consumerRef',
  'consumerName',
  'installationId',
  'installationUpdateTime',
  'objectName',
] as const
export const headerOptions = ['rawObjectName', 'workspace', 'operationId', 'operationTime', 'readType'] as const

/** Fields of a record that are not fields of the provider, in their order. */
const ownFields = [
  optional('_mortise_id'),
  optional('_mortise_event'),
  { name: '_mortise_deleted', type: 'boolean', default: false },
  optional('_mortise_raw'),
  { name: '_mortise_more', type: { type: 'map', values: 'string' }, default: {} },
]
const ownNames = new Set(ownFields.map(({ name }) => name))

/** The object that a schema is for. */
export interface SchemaObject {
  provider: string
  objectName: string
}

/** The full name of the record of a message. */
export function recordName({ provider, objectName }: SchemaObject): string {
  return `mortise.${avroName(provider)}.${avroName(objectName)}`
}

export function objectSchema(object: SchemaObject, fields: ReadonlyMap<string, SchemaField>): ObjectSchema {
  const name = avroName(object.objectName)
  const schema = {
    type: 'record',
    name,
    namespace: `mortise.${avroName(object.provider)}`,
    doc: 'A message of Mortise.',
    fields: [
      ...headerTexts.map(string),
      ...headerOptions.map(optional),
      { name: 'numRecords', type: 'long', default: 0 },
      optional('downloadUrl'),
      {
        name: 'result',
        type: {
          type: 'array',
          items: {
            type: 'record',
            name: `${name}_Record`,
            fields: [...ownFields, ...[...fields.values()].map(({ json }) => json)],
          },
        },
        default: [],
      },
    ],
  }
  return { fields, text: JSON.stringify(schema) }
}

/** The full name and the schema of messages that have no records of an object. */
export const messageRecord = 'mortise.Message'
export const messageSchema = JSON.stringify({
  type: 'record',
  name: 'Message',
  namespace: 'mortise',
  doc: 'A message of Mortise without records, such as a notification.',
  fields: [string('kind'), optional('eventType'), { name: 'message', type: 'string', doc: 'JSON', default: '' }],
})

/**
 * Returns the fields that a registered schema has for an object. Undefined if it is not one of Mortise: then it cannot
 * be continued.
 */
export function registeredFields(object: SchemaObject, text: string): Map<string, SchemaField> | undefined {
  const schema = parsed(text)
  if (schema?.['type'] !== 'record' || fullName(schema) !== recordName(object)) return undefined
  const result = fieldsOf(schema)?.find(({ name }) => name === 'result')
  const items = asObject(asObject(result?.['type'])?.['items'])
  const fields = items && fieldsOf(items)
  if (!fields || !ownFields.every((own) => fields.some(({ name }) => name === own.name))) return undefined
  const found = fields.filter(({ name }) => !ownNames.has(name))
  if (!found.every(isNullable)) return undefined
  return new Map(found.map((json) => [json.name, { name: json.name, type: typeOf(json['type']), json }]))
}

type NamedField = Record<string, unknown> & { name: string }

/** Null must be the first branch of its union: it is what a field without a value has. */
function isNullable({ type }: NamedField): boolean {
  return Array.isArray(type) && type[0] === 'null' && type.length === 2
}

function typeOf(union: unknown): FieldType {
  const text = canonical(Array.isArray(union) ? union[1] : undefined)
  for (const type of ['boolean', 'integer', 'number', 'date', 'datetime', 'string'] as const)
    if (canonical(avroTypes[type]) === text) return type
  return 'unknown'
}

function fullName({ name, namespace }: Record<string, unknown>): string {
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}.${String(name)}` : String(name)
}

function fieldsOf({ fields }: Record<string, unknown>): NamedField[] | undefined {
  if (!Array.isArray(fields)) return undefined
  const named = fields.map(asObject)
  return named.every((field): field is NamedField => typeof field?.['name'] === 'string') ? named : undefined
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

/** Whether two schemas are the same, whatever the order of their keys: a registry may write them differently. */
export function isSameSchema(one: string, other: string): boolean {
  return one === other || canonical(parsed(one)) === canonical(parsed(other))
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, item: unknown) => {
      const object = asObject(item)
      return object ? Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1))) : item
    }) ?? ''
  )
}
