import type { FieldMetadata as Described, ObjectMetadata as DescribedObject } from '@mortise/providers'
import { type Static, Type } from 'typebox'
import { Enum, MapOf, named } from '../../../kernel/http/index.ts'
import { labelOf } from '../../integrations/integrations/index.ts'

/** What a provider says of its objects and fields (contract 3.12), and the rule for names that it does not give. */

export const FieldMetadata = named(
  'FieldMetadata',
  Type.Object({
    fieldName: Type.String({ description: 'The provider’s name, the same as its key.' }),
    displayName: Type.String({ description: 'Display name: the provider’s, or made from the field’s name.' }),
    valueType: Type.Optional(
      Enum(
        ['string', 'boolean', 'singleSelect', 'multiSelect', 'date', 'datetime', 'int', 'float', 'reference', 'other'],
        { description: 'Kind of value.' },
      ),
    ),
    providerType: Type.Optional(Type.String({ description: 'The provider’s own word for the type.' })),
    readOnly: Type.Optional(Type.Boolean({ description: 'Whether the provider refuses to write it.' })),
    isCustom: Type.Optional(Type.Boolean({ description: 'Whether the account has added it.' })),
    isRequired: Type.Optional(Type.Boolean({ description: 'Whether a new record needs it.' })),
    referenceTo: Type.Optional(Type.Array(Type.String(), { description: 'Objects that its value may point at.' })),
    values: Type.Optional(
      Type.Array(
        Type.Object({
          value: Type.String({ description: 'The value in records.' }),
          displayValue: Type.String({ description: 'The value for people.' }),
        }),
        { description: 'The values to choose from, of selects.' },
      ),
    ),
  }),
)
export type FieldMetadata = Static<typeof FieldMetadata>

export const ObjectMetadata = named(
  'ObjectMetadata',
  Type.Object({
    name: Type.String({ description: 'The provider’s name of the object.' }),
    displayName: Type.Optional(Type.String({ description: 'Name for people.' })),
    mappedObjectName: Type.Optional(
      Type.String({ description: 'Its name in messages, where the manifest gives it one.' }),
    ),
    fields: MapOf(FieldMetadata, { description: "By the provider’s name; nested ones as `$['a']['b']`." }),
  }),
)
export type ObjectMetadata = Static<typeof ObjectMetadata>

/**
 * The metadata with a name for people everywhere. The provider's own word is kept; where it gave none, its connector
 * repeats the name.
 */
export function withLabels({ name, displayName, fields }: DescribedObject): ObjectMetadata {
  const label = (declared: string | undefined, of: string) => (declared && declared !== of ? declared : labelOf(of))
  const labelled = (field: Described): FieldMetadata => ({
    ...field,
    displayName: label(field.displayName, field.fieldName),
  })
  return {
    name,
    displayName: label(displayName, name),
    // Defined, never assigned: `__proto__` may be a provider's name.
    fields: Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, labelled(field)])),
  }
}

/** The metadata without the fields that cannot be written. */
export function withoutReadOnly(metadata: ObjectMetadata): ObjectMetadata {
  const fields = Object.fromEntries(Object.entries(metadata.fields).filter(([, field]) => field.readOnly !== true))
  return { ...metadata, fields }
}
