import { invalid } from './api-error.ts'
import type { Contact } from './contact.ts'
import type { Field } from './fields.ts'

/** The fields of a contact that a client may set; custom ones one by one. */
export type ContactPatch = Partial<Omit<Contact, 'id' | 'created_at' | 'updated_at' | 'custom_fields'>> & {
  readonly custom_fields?: Partial<Contact['custom_fields']>
}

const textLengthMax = 1_000
const writable = (fields: readonly Field[], custom: boolean) =>
  new Map(fields.filter((field) => !field.read_only && !!field.custom === custom).map((field) => [field.name, field]))

/**
 * Checks the body of a PATCH against the field list that `GET /schema/contacts` publishes.
 * @throws ApiError 400 that names the first field which is unknown, read-only or of the wrong type
 */
export function parseContactPatch(body: unknown, fields: readonly Field[]): ContactPatch {
  if (!isRecord(body)) throw invalid('body', 'a JSON object')
  const { custom_fields: custom, ...standard } = body
  if (custom !== undefined && !isRecord(custom)) throw invalid('custom_fields', 'an object')
  check(standard, writable(fields, false), '')
  check(custom ?? {}, writable(fields, true), 'custom_fields.')
  return body as ContactPatch
}

function check(values: Record<string, unknown>, fields: ReadonlyMap<string, Field>, prefix: string): void {
  for (const [name, value] of Object.entries(values)) {
    const field = fields.get(name)
    if (!field) throw invalid(`${prefix}${name}`, 'a field that exists and may be written')
    if (!checks[field.type](value, field)) throw invalid(`${prefix}${name}`, `a value of type ${field.type}`)
  }
}

const isText = (value: unknown) => typeof value === 'string' && value.length <= textLengthMax

const checks: Record<Field['type'], (value: unknown, field: Field) => boolean> = {
  string: isText,
  int: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
  datetime: (value) => parseDateTime(value) !== undefined,
  select: (value, field) => field.options?.some((option) => option.value === value) ?? false,
  list: (value) => Array.isArray(value) && value.length <= 100 && value.every(isText),
  object: (value, field) =>
    isRecord(value) &&
    Object.keys(value).length === field.members?.length &&
    field.members.every((member) => Object.hasOwn(value, member) && isText(value[member])),
}

/** The time in ms of an RFC 3339 date-time with its zone; undefined for anything else. */
export function parseDateTime(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(value)) {
    return undefined
  }
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
