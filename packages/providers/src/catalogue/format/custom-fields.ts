import { type Static, Type } from 'typebox'
import { listing } from './listing.ts'
import { path, pathOrPaths, pathOrTemplate, strict } from './vocabulary.ts'

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

export const CustomFields = Type.Object(
  {
    list: path('Path, in the record, of the list of its custom fields.'),
    key: pathOrTemplate(
      'What the field is called by, its name where there are no `definitions`: a path in the item, or a template over it when it holds `{{ }}`.',
    ),
    value: pathOrPaths('Path, in an item, of the value, or a list of them: the first that is there counts.'),
    definitions: Type.Optional(Definitions),
  },
  { ...strict, description: 'A list in the record whose items are fields of the record.' },
)
export type CustomFields = Static<typeof CustomFields>
