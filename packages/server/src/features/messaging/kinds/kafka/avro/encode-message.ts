import type { OutgoingMessage } from '../../kind.ts'
import { fits } from '../../tables/columns.ts'
import { AvroWriter } from './avro-writer.ts'
import { headerOptions, headerTexts, type ObjectSchema, type SchemaField } from './object-schema.ts'
import type { DataMessage } from './read-message.ts'

/** The wire format of schema registries: a zero, the id of the schema in four bytes, and the value. */
function startValue(schemaId: number): AvroWriter {
  const writer = new AvroWriter()
  const head = Buffer.alloc(5)
  head.writeUInt32BE(schemaId, 1)
  writer.raw(head)
  return writer
}

/** Encodes a message with records by the schema of its object. */
export function encodeDataMessage(message: DataMessage, schema: ObjectSchema, schemaId: number): Buffer {
  const writer = startValue(schemaId)
  const string = (value: string) => writer.string(value)
  const { header, numRecords, downloadUrl, entries } = message
  for (const name of headerTexts) writer.string(textOf(header[name]) ?? '')
  for (const name of headerOptions) writer.nullable(textOf(header[name]), string)
  writer.long(numRecords)
  writer.nullable(downloadUrl, string)
  writer.array(entries, (entry) => {
    const { id, event, isDeleted, raw, values, more } = entry
    const left: (readonly [string, unknown])[] = [...more]
    for (const [name, { original, value }] of values)
      if (!isKept(schema.fields.get(name), value)) left.push([original, value])
    writer.nullable(id, string)
    writer.nullable(event, string)
    writer.boolean(isDeleted)
    writer.nullable(raw === undefined ? undefined : JSON.stringify(raw), string)
    writer.map(left.map(([name, value]) => [name, JSON.stringify(value)] as const))
    for (const field of schema.fields.values()) {
      const value = values.get(field.name)?.value
      writer.nullable(isKept(field, value) ? value : undefined, () => writeValue(writer, field, value))
    }
  })
  return writer.bytes()
}

/** Encodes a message without records of an object. */
export function encodeMessage({ kind, eventType, body }: OutgoingMessage, schemaId: number): Buffer {
  const writer = startValue(schemaId)
  writer.string(kind)
  writer.nullable(eventType, (value) => writer.string(value))
  writer.string(body.toString())
  return writer.bytes()
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Whether the field has the value, so that `_mortise_more` does not. Null is the same in both. */
function isKept(field: SchemaField | undefined, value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (field === undefined || field.type === 'unknown') return false
  return field.type === 'string' || fits(field.type, value)
}

function writeValue(writer: AvroWriter, { type }: SchemaField, value: unknown): void {
  if (type === 'boolean') writer.boolean(value === true)
  else if (type === 'integer') writer.long(value as number)
  else if (type === 'number') writer.double(value as number)
  else if (type === 'date') writer.long(Date.parse(`${String(value)}T00:00:00Z`) / dayMs)
  else if (type === 'datetime') writer.long(Date.parse(String(value)))
  else writer.string(typeof value === 'string' ? value : JSON.stringify(value))
}

const dayMs = 86_400_000
