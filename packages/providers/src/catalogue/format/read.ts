import { type Static, Type } from 'typebox'
import { CustomFields } from './custom-fields.ts'
import { listing } from './listing.ts'
import { Match, map, name, path, paths, strict } from './vocabulary.ts'

const Child = Type.Object(listing, {
  ...strict,
  description: 'A list read once per record; `{{record.id}}` and other `record.` variables name the parent’s values.',
})
export type Child = Static<typeof Child>

const Parents = Type.Object(
  {
    ...listing,
    keep: Type.Optional(
      map(
        Type.String({ format: 'path' }),
        'Values of the parent that its records have as fields (in `fields` and in `raw`), such as what repository they are of: paths in the parent, by field. A field that a record has itself stays.',
      ),
    ),
    mayRefuse: Type.Optional(
      Type.Boolean({
        description: 'A parent whose list is refused (403, 404) is passed over instead of failing the read.',
      }),
    ),
    prefer: Type.Optional(Match),
  },
  {
    ...strict,
    description:
      'The list is read once per record of this one, one after the other; `{{parent.id}}` and other `parent.` variables name the values of the parent. A record that comes under several of them stands once in a page: the first that fits `prefer`, otherwise the first.',
  },
)

const ReadAssociation = Type.Object(
  {
    ask: name('What asks for it: joined by commas, these are the variable `{{associations}}` of the request.'),
    list: Type.Optional(
      path('Path, in the record, of the list of links; without it the record holds one, or none where `id` is empty.'),
    ),
    id: path('Path of the other record’s id, in a link of the list, or in the record.'),
  },
  strict,
)
export type ReadAssociation = Static<typeof ReadAssociation>

export const Read = Type.Object(
  {
    ...listing,
    each: Type.Optional(Parents),
    id: Type.Optional(
      Type.Unsafe<string | string[]>({
        type: ['string', 'array'],
        format: 'path-or-template',
        items: { type: 'string', format: 'path-or-template' },
        minItems: 2,
        description:
          'Path of the record’s id; `id` when absent. It may name the object and its `set`, as in `{{object}}Id`. Several paths where only their values together tell a record from all others: the id is then `owner/repo/7`, and each part, by the last name of its path, a variable of requests: `{{id.owner}}`.',
      }),
    ),
    total: Type.Optional(path('Path of the number of all records.')),
    totalHeader: Type.Optional(name('Response header that holds the number of all records.')),
    flatten: Type.Optional(
      paths('Paths of objects in the record whose keys count as fields of the record, such as `properties`.'),
    ),
    lift: Type.Optional(
      map(
        path('Path of its value in the record.'),
        'Further fields of the record, by name, such as `owner_id: owner.id` where the provider takes the id of what it answers whole.',
      ),
    ),
    customFields: Type.Optional(CustomFields),
    links: Type.Optional(
      paths(
        'Paths of values that are ids of linked records, and the linked records themselves where that is asked for. The list `links` has those in which a nested field is wanted, the innermost only.',
      ),
    ),
    filterable: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Fields that filters of reads and searches may name, where the provider passes over all others in silence and answers every record. All fields when absent.',
      }),
    ),
    fieldsExcept: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Names that `{{fields}}` (the requested fields, joined by commas) leaves out, however they are written.',
      }),
    ),
    fieldsForAll: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'What `{{fields}}` stands for when every field is wanted, besides `fieldsAlways`; every described one when absent. For requests that name most fields themselves. With an empty list it has no value: for providers that answer with all fields unless some are named.',
      }),
    ),
    fieldsAlways: Type.Optional(
      Type.Array(Type.String(), { description: 'Names that stand first in `{{fields}}`, requested or not.' }),
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
    associations: Type.Optional(
      map(
        ReadAssociation,
        'Other records that a record is linked with and that come along with it, by the field they become: a list of `{id}`, also in `associations` of messages. Asked for only when that field is asked for by name.',
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

export const SearchChanges = Type.Unsafe<Partial<Read>>({
  type: 'object',
  description:
    'How records are searched by the values of fields: what differs from `read`, with the same rules as under `incremental`. The request names the variable `filters`, a list of `{field, value}`.',
})
