import { type Static, Type } from 'typebox'
import { valueTypes } from '../../connector.ts'
import { listing } from './listing.ts'
import { request } from './request.ts'
import {
  choice,
  condition,
  Match,
  MatchOfTemplates,
  map,
  path,
  pathOrPaths,
  pathOrTemplate,
  strict,
  tagged,
  template,
  text,
} from './vocabulary.ts'

const flag = Type.Optional(
  Type.Unsafe<string | boolean | { not: string } | { when: Match }>({
    type: ['string', 'boolean', 'object'],
    format: 'path',
    properties: { not: { type: 'string', format: 'path' }, when: Match },
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
    description:
      'Whether the field is one, as in `source: static`: a path, `{not: path}`, `{when: condition}` or a boolean.',
  }),
)

const Values = Type.Object(
  {
    path: pathOrPaths(
      'Path of the choices, or paths of which the first with a value is used. A plain value is its own label.',
    ),
    value: Type.Optional(path('Path of the value in a choice. Default: `value`.')),
    label: Type.Optional(path('Path of the label. Default: `label`.')),
  },
  { ...strict, description: 'Choices of a select field.' },
)

const FurtherChoices = Type.Object(
  {
    when: Type.Optional(condition('Fields that the request is for.')),
    ...listing,
    value: path('Path of the value in a record.'),
    label: Type.Optional(path('Path of the label. Default: the value.')),
  },
  {
    ...strict,
    description:
      'A request for the choices of each select field that matches `when` and has none yet. `{{field.id}}` reads the listed field.',
  },
)
export type FurtherChoices = Static<typeof FurtherChoices>

const ValueTypeRule = Type.Object(
  {
    when: Type.Optional(condition('Fields of this type. Default: all.')),
    is: choice(valueTypes, 'Value type.'),
  },
  strict,
)

const StaticField = Type.Object(
  {
    displayName: Type.Optional(text('Label. Default: the name.')),
    valueType: Type.Optional(choice(valueTypes, 'Value type.')),
    providerType: Type.Optional(text('The provider’s name for the type.')),
    readOnly: Type.Optional(Type.Boolean({ description: 'The field cannot be written.' })),
    isCustom: Type.Optional(Type.Boolean({ description: 'The customer created the field.' })),
    isRequired: Type.Optional(Type.Boolean({ description: 'Creating a record requires the field.' })),
    referenceTo: Type.Optional(Type.Array(Type.String(), { description: 'Objects that the value refers to.' })),
    values: Type.Optional(
      Type.Array(
        Type.Object({ value: text('Value.'), displayValue: Type.Optional(text('Label. Default: the value.')) }, strict),
        { description: 'Choices of a select field.' },
      ),
    ),
  },
  strict,
)

const optional = Type.Optional(
  Type.Unsafe<boolean | 'always'>({
    enum: [true, false, 'always'],
    description: '`true`: skip this source if its request is refused (403, 404). `always`: skip it on any failure.',
  }),
)

const StaticFields = Type.Object(
  {
    source: Type.Literal('static', { description: 'Fields written in this file.' }),
    fields: map(
      Type.Unsafe<Static<typeof StaticField> | (typeof valueTypes)[number]>({
        type: ['string', 'object'],
        format: 'value-type',
        properties: StaticField.properties,
        additionalProperties: false,
      }),
      'Fields by name: the value type, or an object.',
    ),
  },
  { ...strict, title: 'static' },
)
const texts = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      format: 'path-or-template',
      items: { type: 'string', minLength: 1, format: 'path-or-template' },
      minItems: 1,
      description: `${description}. Of a list, the first with a value.`,
    }),
  )

const LiveFields = Type.Object(
  {
    source: Type.Literal('live', { description: 'Fields that the provider lists.' }),
    ...listing,
    keyed: Type.Optional(Type.Boolean({ description: 'The list is an object. `$key` is the key of each value.' })),
    only: Type.Optional(
      Type.Unsafe<Match | Match[]>({
        type: ['object', 'array'],
        patternProperties: (MatchOfTemplates as { patternProperties?: object }).patternProperties,
        propertyNames: { format: 'path' },
        items: MatchOfTemplates,
        minItems: 1,
        description: 'Fields to include: a condition, or a list of which one must hold.',
      }),
    ),
    neverEmpty: Type.Optional(Type.Boolean({ description: 'A response without any field is an error.' })),
    optional,
    objectDisplayName: Type.Optional(
      path('Path, in the response, of the object’s label. Used when the file has no `displayName`.'),
    ),
    name: pathOrTemplate(
      "Name of the field: a path in the listed field, or a template, as for the keys below. `''` is the listed field itself, in a list of names; no key below is empty.",
      0,
    ),
    displayName: texts('Label. Default: the name'),
    providerType: texts('The provider’s name for the type'),
    valueType: Type.Optional(
      Type.Array(ValueTypeRule, { description: 'Rules. The first whose `when` holds decides. Default: `other`.' }),
    ),
    readOnly: flag,
    isCustom: flag,
    isRequired: flag,
    referenceTo: Type.Optional(
      Type.Object(
        {
          path: path('Path of the provider’s name of the object, or of a list of names.'),
          map: Type.Optional(map(Type.String(), 'Object name in this file, by the provider’s name.')),
          otherwise: Type.Optional(
            pathOrTemplate(
              'Template for names that the map does not contain; `|lower` makes a value lower case. Names in a list stay unchanged.',
            ),
          ),
        },
        { ...strict, description: 'Objects that the value may refer to.' },
      ),
    ),
    values: Type.Optional(Values),
    choices: Type.Optional(
      Type.Array(FurtherChoices, {
        description: 'Lists with the choices of one field each. The first whose `when` holds is used.',
      }),
    ),
  },
  { ...strict, title: 'live' },
)
const RequiredFields = Type.Object(
  {
    source: Type.Literal('required', { description: 'Marks fields that the provider lists as required.' }),
    ...request,
    optional,
    names: path('Path of the list of names. Without a list, no field is required.'),
  },
  { ...strict, title: 'required' },
)
const choiceParts = {
  each: Type.Optional(
    path('Path of a list in each record, with one choice per item. `{{parent.x}}` reads the record.'),
  ),
  value: template('Template of the value.'),
  label: template('Template of the label.'),
}
const ChoiceParts = Type.Object(choiceParts, strict)
export type ChoiceParts = Static<typeof ChoiceParts>

const ChoiceFields = Type.Object(
  {
    source: Type.Literal('choices', { description: 'Adds choices to fields of earlier sources.' }),
    ...listing,
    optional,
    fields: Type.Optional(
      map(ChoiceParts, 'By field name. Each record is a choice, or holds several. Unknown names are ignored.'),
    ),
    byField: Type.Optional(
      Type.Object(
        { name: path('Path, in a record, of the field’s name.'), ...choiceParts },
        { ...strict, description: 'In place of `fields`: each record names the field that its choices belong to.' },
      ),
    ),
  },
  { ...strict, title: 'choices' },
)
const SampleFields = Type.Object(
  {
    source: Type.Literal('sample', { description: 'Takes the keys of the first record as fields of type `other`.' }),
    infer: Type.Optional(
      Type.Boolean({
        description: 'Infers types from one record: texts are `string`, numbers `float`, true and false `boolean`.',
      }),
    ),
    whole: Type.Optional(
      Type.Literal(true, { description: 'Requests the record by `get`, which has more keys than the list.' }),
    ),
  },
  { ...strict, title: 'sample' },
)

export const FieldSource = tagged(
  'source',
  [StaticFields, LiveFields, RequiredFields, ChoiceFields, SampleFields],
  'A source of fields. Later sources complete earlier ones.',
)
export type FieldSource = Static<typeof FieldSource>
export type LiveFields = Static<typeof LiveFields>
export type ChoiceFields = Static<typeof ChoiceFields>
export type StaticFields = Static<typeof StaticFields>
