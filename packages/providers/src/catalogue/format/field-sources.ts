import { type Static, Type } from 'typebox'
import { valueTypes } from '../../connector.ts'
import { listing } from './listing.ts'
import { request } from './request.ts'
import {
  choice,
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

const flag = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | boolean | { not: string } | { when: Match }>({
      type: ['string', 'boolean', 'object'],
      format: 'path',
      properties: { not: { type: 'string', format: 'path' }, when: Match },
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
      description: `${description}: a path, \`{not: path}\`, \`{when: …}\` (paths and their values, all of which must fit), or true or false.`,
    }),
  )

const Values = Type.Object(
  {
    path: pathOrPaths(
      'Path of the list of choices, or several: the first that is there. Plain values are both value and label.',
    ),
    value: Type.Optional(path('Path of the value in a choice; `value` when absent.')),
    label: Type.Optional(path('Path of the label; `label` when absent.')),
  },
  { ...strict, description: 'The choices of a select.' },
)

const FurtherChoices = Type.Object(
  {
    when: Type.Optional(Match),
    ...listing,
    value: path('Path of the value in an item of the list.'),
    label: Type.Optional(path('Path of its label; the value when absent.')),
  },
  {
    ...strict,
    description:
      'A request for each field that fits `when`; `{{field.id}}` and other `field.` variables name values of the listed field. Asked only for selects that are described without choices.',
  },
)
export type FurtherChoices = Static<typeof FurtherChoices>

const ValueTypeRule = Type.Object(
  {
    when: Type.Optional(Match),
    is: choice(valueTypes, 'The value type.'),
  },
  strict,
)

const StaticField = Type.Object(
  {
    displayName: Type.Optional(text('Label; the name when absent.')),
    valueType: Type.Optional(choice(valueTypes, 'Type of the value.')),
    providerType: Type.Optional(text('The provider’s own word.')),
    readOnly: Type.Optional(Type.Boolean({ description: 'Cannot be written.' })),
    isCustom: Type.Optional(Type.Boolean({ description: 'Made by the customer.' })),
    isRequired: Type.Optional(Type.Boolean({ description: 'Must be given when creating.' })),
    referenceTo: Type.Optional(Type.Array(Type.String(), { description: 'Objects it points at.' })),
    values: Type.Optional(
      Type.Array(
        Type.Object(
          { value: text('The value.'), displayValue: Type.Optional(text('Its label; the value when absent.')) },
          strict,
        ),
        { description: 'The choices of a select.' },
      ),
    ),
  },
  strict,
)

const optional = Type.Optional(
  Type.Unsafe<boolean | 'always'>({
    enum: [true, false, 'always'],
    description:
      'A refusal (403, 404) of this request leaves the source out instead of failing; with `always`, so does every other failure, such as that of another host than the records’.',
  }),
)

const StaticFields = Type.Object(
  {
    source: Type.Literal('static', { description: 'Fields written down here.' }),
    fields: map(
      Type.Unsafe<Static<typeof StaticField> | (typeof valueTypes)[number]>({
        type: ['string', 'object'],
        format: 'value-type',
        properties: StaticField.properties,
        additionalProperties: false,
      }),
      'By name. A text is the value type alone; an object may have `valueType`, `displayName`, `providerType`, `readOnly`, `isCustom`, `isRequired`, `referenceTo` (a list of objects) and `values` (a list of choices, each with `value` and `displayValue`).',
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
      description: `${description}; of a list, the first with a value.`,
    }),
  )

const LiveFields = Type.Object(
  {
    source: Type.Literal('live', { description: 'The provider lists its fields.' }),
    ...listing,
    keyed: Type.Optional(
      Type.Boolean({ description: 'The list is an object: each key is the variable `$key` of its value.' }),
    ),
    only: Type.Optional(
      Type.Unsafe<Match | Match[]>({
        type: ['object', 'array'],
        patternProperties: (MatchOfTemplates as { patternProperties?: object }).patternProperties,
        propertyNames: { format: 'path' },
        items: MatchOfTemplates,
        minItems: 1,
        description: 'Which listed fields are meant: those that fit, or that fit one of a list.',
      }),
    ),
    neverEmpty: Type.Optional(
      Type.Boolean({ description: 'An answer without any field is an error: the object always has some.' }),
    ),
    optional,
    objectDisplayName: Type.Optional(
      path('Path, in the answer, of the object’s label: that of an object whose file gives it none.'),
    ),
    name: pathOrTemplate(
      'Name of the field. Here and below, a text with `{{ }}` is a template over the listed field, another is a path in it.',
    ),
    displayName: texts('Label, the name when absent or empty'),
    providerType: texts('The provider’s word for the type'),
    valueType: Type.Optional(
      Type.Array(ValueTypeRule, { description: 'Rules, the first that fits wins; without one `other`.' }),
    ),
    readOnly: flag('Cannot be written'),
    isCustom: flag('Made by the customer'),
    isRequired: flag('Must be given when creating'),
    referenceTo: Type.Optional(
      Type.Object(
        {
          path: path('Path of the provider’s name of the object, or of a list of names.'),
          map: Type.Optional(map(Type.String(), 'Our object name by the provider’s.')),
          otherwise: Type.Optional(
            pathOrTemplate(
              'Template for names that the map lacks, over the listed field; `|lower` lowers a variable. Names of a list stay as they are.',
            ),
          ),
        },
        { ...strict, description: 'The object that the value points at, or the objects that it may point at.' },
      ),
    ),
    values: Type.Optional(Values),
    choices: Type.Optional(
      Type.Array(FurtherChoices, {
        description:
          'Lists that know the choices of one field each, where the list of fields does not; the first that fits.',
      }),
    ),
  },
  { ...strict, title: 'live' },
)
const RequiredFields = Type.Object(
  {
    source: Type.Literal('required', { description: 'The provider lists the names of required fields.' }),
    ...request,
    optional,
    names: path('Path of that list; where it is absent, no field is required.'),
  },
  { ...strict, title: 'required' },
)
const choiceParts = {
  each: Type.Optional(path('Path of a list inside each record, one choice per item; `{{parent.x}}` names the record.')),
  value: template('Template of the value.'),
  label: template('Template of the label.'),
}
const ChoiceParts = Type.Object(choiceParts, strict)
export type ChoiceParts = Static<typeof ChoiceParts>

const ChoiceFields = Type.Object(
  {
    source: Type.Literal('choices', { description: 'Another request knows the choices of fields found before.' }),
    ...listing,
    optional,
    fields: Type.Optional(
      map(
        ChoiceParts,
        'By field name: each record is a choice, or holds several. Names that no source before found are ignored.',
      ),
    ),
    byField: Type.Optional(
      Type.Object(
        { name: path('Path, in a record, of the name of the field whose choices it holds.'), ...choiceParts },
        { ...strict, description: 'Instead of `fields`: the records themselves say which field they are about.' },
      ),
    ),
  },
  { ...strict, title: 'choices' },
)
const SampleFields = Type.Object(
  {
    source: Type.Literal('sample', { description: 'The keys of the first record are the fields, of type `other`.' }),
    infer: Type.Optional(
      Type.Boolean({
        description: 'Texts are `string`, numbers `float`, true and false `boolean`; one record is asked for.',
      }),
    ),
  },
  { ...strict, title: 'sample' },
)

export const FieldSource = tagged(
  'source',
  [StaticFields, LiveFields, RequiredFields, ChoiceFields, SampleFields],
  'Where an object’s fields are known from.',
)
export type FieldSource = Static<typeof FieldSource>
export type LiveFields = Static<typeof LiveFields>
export type ChoiceFields = Static<typeof ChoiceFields>
export type StaticFields = Static<typeof StaticFields>
