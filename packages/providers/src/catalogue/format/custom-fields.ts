import { type Static, Type } from 'typebox'
import { listing } from './listing.ts'
import { path, pathOrTemplate, strict, text } from './vocabulary.ts'

const PartsOfList = Type.Object(
  {
    path: path('Path of a list.'),
    each: path('Path of the part in an item of it.'),
    join: Type.Optional(text('What stands between two parts.')),
  },
  strict,
)
export type PartsOfList = Static<typeof PartsOfList>

const Definitions = Type.Object(
  {
    ...listing,
    key: path('Path, in a definition, of what the record’s list calls the field by.'),
    name: pathOrTemplate('Name of the field: a path in the definition, or a template over it when it holds `{{ }}`.'),
  },
  {
    ...strict,
    description:
      'The list of definitions that knows the names; asked once per read. A field that is not in it is left out.',
  },
)

export const WrittenCustomFields = Type.Object(
  {
    into: Type.Optional(
      path('Where in the record their list belongs; where `read.customFields` finds it, when absent.'),
    ),
    definitions: Type.Optional(Definitions),
    item: Type.Unknown({
      description:
        'An item of that list: a body with the variables `value` and `definition`, of which `{{definition.id}}` and others name values.',
    }),
  },
  {
    ...strict,
    description:
      'Custom fields are written by the names that reading lifts them under: each becomes an item of a list. `definitions` knows them, those of `read.customFields` when absent; they are asked for when a record has a field that is not written down.',
  },
)
export type WrittenCustomFields = Static<typeof WrittenCustomFields>

export const CustomFields = Type.Object(
  {
    list: path('Path, in the record, of the list of its custom fields.'),
    keyed: Type.Optional(
      Type.Boolean({
        description: 'The list is an object: its keys are what the fields are called by, instead of `key`.',
      }),
    ),
    key: Type.Optional(
      pathOrTemplate(
        'What the field is called by, its name where there are no `definitions`: a path in the item, or a template over it when it holds `{{ }}`.',
      ),
    ),
    value: Type.Unsafe<string | (string | PartsOfList)[]>({
      type: ['string', 'array'],
      format: 'path',
      maxLength: 500,
      items: {
        type: ['string', 'object'],
        format: 'path',
        maxLength: 500,
        properties: PartsOfList.properties,
        required: ['path', 'each'],
        additionalProperties: false,
      },
      minItems: 1,
      description:
        'Path, in an item, of the value, or a list of them: the first that is there counts. `{path, each, join}` takes the value at `each` out of every item of a list that is there: as a list, or joined to one text by `join`.',
    }),
    definitions: Type.Optional(Definitions),
  },
  { ...strict, description: 'A list in the record, or an object, whose items are fields of the record.' },
)
export type CustomFields = Static<typeof CustomFields>
