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
