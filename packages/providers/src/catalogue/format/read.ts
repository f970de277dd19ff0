import { type Static, Type } from 'typebox'
import { CustomFields } from './custom-fields.ts'
import { listing } from './listing.ts'
import { request } from './request.ts'
import { capture, Match, map, name, path, paths, strict, text } from './vocabulary.ts'

const Child = Type.Object(listing, {
  ...strict,
  description: 'A list read once per record; `{{record.id}}` and other `record.` variables name the parent’s values.',
})
export type Child = Static<typeof Child>

const Parents = Type.Object(
  {
    ...listing,
    id: Type.Optional(
      path('Path of the parent’s id; `id` when absent. A read that was interrupted finds its parent again by it.'),
    ),
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

const AssociationRequest = Type.Object(
  {
    ...request,
    records: listing.records,
    of: path('Path, in an item of the list, of the id of the record that it is about.'),
    next: Type.Optional(
      path('Path, in an item of the list, of what asks for the links that the answer left out: `{{item.after}}` then.'),
    ),
    max: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Most records of one request.' }),
  },
  {
    ...strict,
    description:
      'Where the provider tells the links by themselves: one request for all records of a page. Its variables, besides those of the object: the list `records`, each with `item.id`, and `association`, the name of the field.',
  },
)

const ReadAssociation = Type.Object(
  {
    ask: Type.Optional(
      name('What asks for it: joined by commas, these are the variable `{{associations}}` of the request.'),
    ),
    request: Type.Optional(AssociationRequest),
    list: Type.Optional(
      path(
        'Path of the list of links in the record, or in an item of the answer to `request`; without it that is the link itself, or none where `id` is empty.',
      ),
    ),
    id: path('Path of the other record’s id, in a link.'),
  },
  { ...strict, description: 'One of `ask` and `request`.' },
)
export type ReadAssociation = Static<typeof ReadAssociation>

const PartOfRecord = Type.Object(
  {
    list: Type.Optional(path('Path of a list or an object in the record, one item of which holds the value.')),
    when: Type.Optional(Match),
    path: path('Path of the value in the record, or in the item.'),
    each: Type.Optional(path('Path of the part in an item of the list at `path`.')),
    join: Type.Optional(text('What stands between two parts.')),
    capture,
  },
  strict,
)
export type PartOfRecord = Static<typeof PartOfRecord>

export const Read = Type.Object(
  {
    ...listing,
    each: Type.Optional(Parents),
    id: Type.Optional(
      Type.Unsafe<string | string[]>({
        type: ['string', 'array'],
        format: 'named-path',
        items: { type: 'string', format: 'named-path' },
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
        Type.Unsafe<string | PartOfRecord>({
          type: ['string', 'object'],
          format: 'path',
          maxLength: 500,
          properties: PartOfRecord.properties,
          required: ['path'],
          additionalProperties: false,
        }),
        'Further fields of the record, by name, such as `owner_id: owner.id` where the provider takes the id of what it answers whole. A path, or `{path, capture}` for a part of the text there, `{path, each, join}` for the parts of a list; with `list` and `when`, in its first item that fits. They may be parts of the id, too; a field that the record has itself stays.',
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
          'When the first URL would be longer (many fields), the request of `incremental.read` is used instead. Needs `incremental.reach: everything`.',
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
        'Other records that a record is linked with, by the field they become: a list of `{id}`, also in `associations` of messages. Asked for only when that field is asked for by name.',
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
    'What differs from `read` when a read has a `since`: the same keys. Objects are merged, everything else replaces, null removes. The full history is read by `read` unless `reach` says otherwise.',
})

export const SearchChanges = Type.Unsafe<Partial<Read>>({
  type: 'object',
  description:
    'How records are searched by the values of fields: what differs from `read`, with the same rules as under `incremental`. The request names the variable `filters`, a list of `{field, value}`.',
})
