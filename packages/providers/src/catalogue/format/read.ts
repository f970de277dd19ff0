import { type Static, Type } from 'typebox'
import { Paging } from './paging.ts'
import { request } from './request.ts'
import { map, name, path, paths, strict } from './vocabulary.ts'

export const listing = {
  ...request,
  records: Type.Optional(path('Path of the list of records in the answer; the whole answer when absent.')),
  pageSizeMax: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description:
        'Most records per page that the provider allows, and what is asked for: `{{pageSize}}`; 100 when absent.',
    }),
  ),
  paging: Type.Optional(Paging),
}

const Child = Type.Object(listing, {
  ...strict,
  description: 'A list read once per record; `{{record.id}}` and other `record.` variables name the parent’s values.',
})
export type Child = Static<typeof Child>

export const Read = Type.Object(
  {
    ...listing,
    id: Type.Optional(path('Path of the record’s id; `id` when absent.')),
    total: Type.Optional(path('Path of the number of all records.')),
    totalHeader: Type.Optional(name('Response header that holds the number of all records.')),
    flatten: Type.Optional(
      paths('Paths of objects in the record whose keys count as fields of the record, such as `properties`.'),
    ),
    fieldsExcept: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Names that `{{fields}}` (the requested fields, joined by commas) leaves out.',
      }),
    ),
    urlBytesMax: Type.Optional(
      Type.Integer({
        minimum: 500,
        description:
          'When the first URL would be longer (many fields), the request of `incremental.read` is used instead.',
      }),
    ),
    children: Type.Optional(
      map(
        Child,
        'Lists that belong to each record, by the field they become (in `fields` and in `raw`). Read only when that field is asked for by name.',
      ),
    ),
  },
  { ...strict, description: 'How the records are listed.' },
)
export type Read = Static<typeof Read>

/** Checked in full once it is merged with `read`: a null in it removes a key. */
export const ReadChanges = Type.Unsafe<Partial<Read>>({
  type: 'object',
  description:
    'What differs from `read` when a window is given: the same keys. Objects are merged, everything else replaces, null removes.',
})
