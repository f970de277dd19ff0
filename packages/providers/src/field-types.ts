/** What fields an object has, and what fields it can be given. */

export const valueTypes = [
  'string',
  'boolean',
  'singleSelect',
  'multiSelect',
  'date',
  'datetime',
  'int',
  'float',
  'reference',
  'other',
] as const

export type ValueType = (typeof valueTypes)[number]

/** contract 3.12. */
export interface FieldMetadata {
  fieldName: string
  displayName: string
  valueType?: ValueType
  /** The provider's own word for the type. */
  providerType?: string
  readOnly?: boolean
  isCustom?: boolean
  isRequired?: boolean
  /** Objects that the value may point at. */
  referenceTo?: string[]
  /** The values to choose from, for selects. */
  values?: { value: string; displayValue: string }[]
}

/** contract 3.12. */
export interface ObjectMetadata {
  name: string
  displayName?: string
  fields: Record<string, FieldMetadata>
  /**
   * There may be fields that are not listed: an optional source was refused, or the fields are those of a sampled
   * record. A missing field may still exist, and a field may have a shorter description than at other times.
   */
  incomplete?: true
  /**
   * A digest of what the provider's file says of the object's fields. Where it differs between two descriptions, so may
   * the fields, without a change at the provider.
   */
  declaration?: string
}

/** Types that a field can be given when it is made. */
export const definableTypes = [
  'string',
  'boolean',
  'date',
  'datetime',
  'singleSelect',
  'multiSelect',
  'int',
  'float',
  'reference',
] as const satisfies readonly ValueType[]

/** A field that the account is to have (contract 3.12). */
export interface FieldDefinition {
  fieldName: string
  displayName: string
  valueType: (typeof definableTypes)[number]
  description?: string
  required?: boolean
  unique?: boolean
  indexed?: boolean
  stringOptions?: {
    length?: number
    pattern?: string
    values?: string[]
    valuesRestricted?: boolean
    defaultValue?: string
  }
  numericOptions?: { precision?: number; scale?: number; min?: number; max?: number; defaultValue?: number }
  association?: {
    associationType: string
    targetObject: string
    targetField?: string
    cardinality?: string
    onDelete?: string
    required?: boolean
    reverseLookupFieldName?: string
    labels?: { singular?: string; plural?: string }
  }
}

/** What became of one field. */
export interface FieldUpsert {
  fieldName: string
  action: 'create' | 'update' | 'none'
  /** False if the field differs from the request; `warnings` say why. */
  success: boolean
  /** What was left out, or what is against it, in words that are safe to show. */
  warnings: readonly string[]
  /** The field as the provider answered it. */
  metadata?: Record<string, unknown>
}
