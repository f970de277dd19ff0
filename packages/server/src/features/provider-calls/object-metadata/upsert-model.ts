import { type FieldDefinition as Definition, definableTypes } from '@mortise/providers'
import { type Static, Type } from 'typebox'
import { Enum, FreeForm, MapOf, named } from '../../../kernel/http/index.ts'

/** Fields that an account is to have, and what became of them (contract 3.12). */

const text = (description: string) => Type.Optional(Type.String({ description, maxLength: 10_000 }))
const flag = (description: string) => Type.Optional(Type.Boolean({ description }))
const count = (description: string) => Type.Optional(Type.Integer({ description, minimum: 0 }))
const number = (description: string) => Type.Optional(Type.Number({ description }))

export const FieldDefinition = named(
  'FieldDefinition',
  Type.Object({
    fieldName: Type.String({ minLength: 1, maxLength: 255, description: 'The field’s name at the provider.' }),
    displayName: Type.String({ minLength: 1, maxLength: 255, description: 'Its name for people.' }),
    valueType: Enum([...definableTypes], { description: 'Kind of value; each provider knows some of them.' }),
    description: text('What the field is for.'),
    required: flag('Whether a record needs it.'),
    unique: flag('Whether no two records may have the same value.'),
    indexed: flag('Whether the provider is to find records by it fast.'),
    stringOptions: Type.Optional(
      Type.Object(
        {
          length: count('Most characters.'),
          pattern: text('Regular expression of the values.'),
          values: Type.Optional(
            Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
              maxItems: 1_000,
              uniqueItems: true,
              description: 'The choices of a select. They are added to the existing ones.',
            }),
          ),
          valuesRestricted: flag('Whether nothing but the values may be chosen.'),
          defaultValue: text('Value of new records.'),
        },
        { description: 'Of texts and selects.' },
      ),
    ),
    numericOptions: Type.Optional(
      Type.Object(
        {
          precision: count('Digits in all.'),
          scale: count('Digits behind the point.'),
          min: number('Least value.'),
          max: number('Greatest value.'),
          defaultValue: number('Value of new records.'),
        },
        { description: 'Of numbers.' },
      ),
    ),
    association: Type.Optional(
      Type.Object(
        {
          associationType: Type.String({ description: 'The provider’s word, such as `lookup`.' }),
          targetObject: Type.String({ description: 'The object that the value points at.' }),
          targetField: text('The field that it points at.'),
          cardinality: text('The provider’s word for how many point at how many.'),
          onDelete: text('The provider’s word for what follows when the target goes.'),
          required: flag('Whether there must be a target.'),
          reverseLookupFieldName: text('Name of the way back, at the target.'),
          labels: Type.Optional(
            Type.Object(
              { singular: text('For one.'), plural: text('For several.') },
              { description: 'Names for people of the way back.' },
            ),
          ),
        },
        { description: 'Of references.' },
      ),
    ),
  }),
)
export type FieldDefinition = Definition

export const UpsertMetadataRequest = named(
  'UpsertMetadataRequest',
  Type.Object({
    groupRef: Type.String({ minLength: 1, description: 'The group whose account is changed.' }),
    fields: MapOf(Type.Array(FieldDefinition, { maxItems: 100 }), {
      description: 'By name of the object: the fields that it is to have.',
    }),
  }),
)
export type UpsertMetadataRequest = Omit<Static<typeof UpsertMetadataRequest>, 'fields'> & {
  fields: Record<string, FieldDefinition[]>
}

const FieldUpsertResult = named(
  'FieldUpsertResult',
  Type.Object({
    fieldName: Type.String({ description: 'The requested name of the field.' }),
    action: Enum(['create', 'update', 'none'], { description: 'What was done at the provider.' }),
    metadata: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'The field as the provider answered it.' }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'What was left out, or why the field is not as requested.' }),
    ),
  }),
)

export const UpsertMetadataResponse = named(
  'UpsertMetadataResponse',
  Type.Object({
    success: Type.Boolean({ description: 'Whether every field is as requested.' }),
    fields: MapOf(MapOf(FieldUpsertResult), { description: 'By name of the object, and by name of the field.' }),
  }),
)
export type UpsertMetadataResponse = Static<typeof UpsertMetadataResponse>
