import { ApiError, invalid } from './api-error.ts'

/** A field of an object, as `GET /schema/{object}` answers it. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly type: 'string' | 'int' | 'datetime' | 'boolean' | 'select' | 'object' | 'list'
  /** The values of a select. */
  readonly options?: readonly { readonly value: string; readonly label: string }[]
  /** The members of an object; each is a string. */
  readonly members?: readonly string[]
  /** Added by the workspace: its value stands under `custom_fields`. */
  readonly custom?: true
  readonly required?: true
  readonly read_only?: true
}

const options = (...values: string[]) =>
  values.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }))

export const contactFields: readonly Field[] = [
  { name: 'id', label: 'ID', type: 'string', required: true, read_only: true },
  { name: 'first_name', label: 'First name', type: 'string' },
  { name: 'last_name', label: 'Last name', type: 'string' },
  { name: 'email', label: 'Email', type: 'string', required: true },
  { name: 'phone', label: 'Phone', type: 'string' },
  { name: 'company', label: 'Company', type: 'object', members: ['name', 'city'] },
  { name: 'stage', label: 'Stage', type: 'select', options: options('lead', 'customer', 'lost') },
  { name: 'score', label: 'Score', type: 'int' },
  { name: 'tags', label: 'Tags', type: 'list' },
  { name: 'plan', label: 'Plan', type: 'select', options: options('free', 'team', 'enterprise'), custom: true },
  { name: 'vip', label: 'VIP', type: 'boolean', custom: true },
  { name: 'renewal_at', label: 'Renewal', type: 'datetime', custom: true },
  { name: 'created_at', label: 'Created', type: 'datetime', required: true, read_only: true },
  { name: 'updated_at', label: 'Updated', type: 'datetime', required: true, read_only: true },
]

export const companyFields: readonly Field[] = [
  { name: 'id', label: 'ID', type: 'string', required: true, read_only: true },
  { name: 'name', label: 'Name', type: 'string', required: true, read_only: true },
  { name: 'city', label: 'City', type: 'string', read_only: true },
  {
    name: 'industry',
    label: 'Industry',
    type: 'select',
    options: options('retail', 'software', 'health', 'logistics'),
    read_only: true,
  },
  { name: 'employees', label: 'Employees', type: 'int', read_only: true },
]

/** Parameters of a list, which a field must not be mistaken for. */
const taken = new Set(['limit', 'cursor', 'updated_since', 'updated_before'])
const addable = ['string', 'int', 'datetime', 'boolean', 'select'] as const

/**
 * The field that the body of a POST describes.
 * @throws ApiError 400 for what is no field, 409 for a name that is taken
 */
export function newField(body: unknown, fields: readonly Field[]): Field {
  const { name, type, options: values } = partsOf(body)
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,99}$/.test(name)) throw invalid('name', 'a name in lower case')
  const known = addable.find((one) => one === type)
  if (known === undefined) throw invalid('type', `one of ${addable.join(', ')}`)
  if (taken.has(name) || fields.some((field) => field.name === name))
    throw new ApiError(409, 'conflict', `the name ${name} is taken`)
  const field = { name, label: labelOf(body), type: known, custom: true } as const
  return known === 'select' ? { ...field, options: optionsOf(values) } : field
}

/** The field with what the body of a PATCH changes: its label, and the values of a select. */
export function changedField(field: Field, body: unknown): Field {
  const { label, options: values } = partsOf(body)
  return {
    ...field,
    ...(label !== undefined && { label: labelOf(body) }),
    ...(values !== undefined && field.type === 'select' && { options: optionsOf(values) }),
  }
}

function partsOf(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('body', 'a JSON object')
  return body as Record<string, unknown>
}

function labelOf(body: unknown): string {
  const { label } = partsOf(body)
  if (typeof label !== 'string' || label === '' || label.length > 200) throw invalid('label', 'a text')
  return label
}

function optionsOf(values: unknown): { value: string; label: string }[] {
  const list: unknown[] = Array.isArray(values) && values.length <= 1_000 ? values : [undefined]
  return list.map((item) => {
    const { value, label = value } = typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {}
    if (typeof value !== 'string' || typeof label !== 'string') throw invalid('options', 'a list of {value, label}')
    return { value, label }
  })
}
