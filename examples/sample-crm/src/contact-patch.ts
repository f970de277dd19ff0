import { type Fault, fault, invalid, invalidAll } from './api-error.ts'
import type { Contact } from './contact.ts'
import type { Field } from './fields.ts'

/** The fields of a contact that a client may set; those of the company and custom ones one by one. */
export type ContactPatch = Partial<Omit<Contact, 'id' | 'created_at' | 'updated_at' | 'company' | 'custom_fields'>> & {
  readonly company?: Partial<Contact['company']>
  readonly custom_fields?: Partial<Contact['custom_fields']>
}

/** What a contact begins with. */
export type NewContact = ContactPatch & Pick<Contact, 'email'>

const textLengthMax = 1_000
const writable = (fields: readonly Field[], custom: boolean) =>
  new Map(fields.filter((field) => !field.read_only && !!field.custom === custom).map((field) => [field.name, field]))

/**
 * Checks the body of a PATCH against the field list that `GET /schema/contacts` publishes.
 * @throws ApiError 400 that names every field which is unknown, read-only or of the wrong type
 */
export function parseContactPatch(body: unknown, fields: readonly Field[]): ContactPatch {
  return parse(body, fields, []) as ContactPatch
}

/**
 * Checks the body of a POST in the same way; what is required and can be written must be there.
 * @throws ApiError 400 that names every field which is missing, unknown, read-only or of the wrong type
 */
export function parseNewContact(body: unknown, fields: readonly Field[]): NewContact {
  const required = fields.filter((field) => field.required && !field.read_only && !field.custom)
  return parse(body, fields, required) as NewContact
}

function parse(body: unknown, fields: readonly Field[], required: readonly Field[]): object {
  if (!isRecord(body)) throw invalid('body', 'a JSON object')
  const { custom_fields: custom, ...standard } = body
  const faults = [
    ...required.filter(({ name }) => !Object.hasOwn(standard, name)).map(({ name }) => fault(name, 'a value')),
    ...faultsOf(standard, writable(fields, false), ''),
  ]
  if (custom === undefined || isRecord(custom))
    faults.push(...faultsOf(custom ?? {}, writable(fields, true), 'custom_fields.'))
  else faults.push(fault('custom_fields', 'an object'))
  if (faults.length > 0) throw invalidAll(faults)
  return body
}

function faultsOf(values: Record<string, unknown>, fields: ReadonlyMap<string, Field>, prefix: string): Fault[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = fields.get(name)
    if (!field) return fault(`${prefix}${name}`, 'a field that exists and may be written')
    return (value === null && isRemovable(field)) || checks[field.type](value, field)
      ? []
      : fault(`${prefix}${name}`, expectedOf(field))
  })
}

/** Whether null removes the value of a field. */
function isRemovable({ type, required }: Field): boolean {
  return required !== true && type !== 'object' && type !== 'list'
}

function expectedOf({ type, options }: Field): string {
  return options ? `one of ${options.map(({ value }) => value).join(', ')}` : `a value of type ${type}`
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
    Object.entries(value).every(([name, text]) => field.members?.includes(name) && (text === null || isText(text))),
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
