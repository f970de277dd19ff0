import { type Static, Type } from 'typebox'
import { listing } from './listing.ts'
import { PartsOfList, pathOr } from './values.ts'
import { path, pathOrTemplate, strict } from './vocabulary.ts'

const Definitions = Type.Object(
  {
    ...listing,
    key: path('Path, in a definition, of the key that records use for the field.'),
    name: pathOrTemplate('Name of the field: a path in the definition, or a template.'),
  },
  {
    ...strict,
    description: 'A list that maps keys to names, requested once per read. Other fields are dropped.',
  },
)

export const WrittenCustomFields = Type.Object(
  {
    into: Type.Optional(path('Where in the record to put the list. Default: where `read.customFields` finds it.')),
    definitions: Type.Optional(Definitions),
    item: Type.Unknown({
      description: 'An item of the list: a body of `value` and `definition`, such as `{{definition.id}}`.',
    }),
  },
  {
    ...strict,
    description:
      'Writes custom fields under the names that reads give them, as items of a list. Fields that the file does not declare need the definitions.',
  },
)
export type WrittenCustomFields = Static<typeof WrittenCustomFields>

export const CustomFields = Type.Object(
  {
    list: path('Path of the list in the record.'),
    keyed: Type.Optional(
      Type.Boolean({
        description: 'The list is an object. Its keys identify the fields, in place of `key`.',
      }),
    ),
    key: Type.Optional(pathOrTemplate('Identifies the field: a path in the item, or a template. Default: its name.')),
    value: Type.Unsafe<string | (string | PartsOfList)[]>({
      type: ['string', 'array'],
      format: 'path',
      maxLength: 500,
      items: pathOr(PartsOfList),
      minItems: 1,
      description:
        'Path of the value in an item, or paths of which the first with a value is used. `{path, each, join}` takes `each` of every item at `path`, as a list or joined.',
    }),
    definitions: Type.Optional(Definitions),
  },
  { ...strict, description: 'A list or an object in the record whose items are fields of the record.' },
)
export type CustomFields = Static<typeof CustomFields>
