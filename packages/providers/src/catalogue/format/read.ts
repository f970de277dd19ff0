import { type Static, Type } from 'typebox'
import { CustomFields } from './custom-fields.ts'
import { listing } from './listing.ts'
import { ReadByIds } from './read-by-ids.ts'
import { ReadJob } from './read-job.ts'
import { request } from './request.ts'
import { capture, condition, map, name, namedPath, path, paths, pattern, strict, template, text } from './vocabulary.ts'

const only = Type.Optional(condition('Which items of the list are records. The others are dropped.'))

const Child = Type.Object(
  { ...listing, only },
  {
    ...strict,
    description: 'A list that is read once per record. `{{record.id}}` and others read the record.',
  },
)
export type Child = Static<typeof Child>

const parentKeys = {
  ...listing,
  path: Type.Optional(template('Path below the base URL. Without it, `values` are the parents.')),
  only,
  values: Type.Optional(
    Type.Array(map(Type.String(), 'Names and texts.'), {
      minItems: 1,
      description:
        'Parents that the file lists: `{{parent.type}}` reads `type`. With `path`, each listed parent is combined with each of them.',
    }),
  ),
  id: Type.Optional(path('Path of the parent’s id. Default: `id`. An interrupted read finds its parent with it.')),
  keep: Type.Optional(
    map(
      Type.String({ format: 'path' }),
      'Values of the parent to add to its records (in `fields` and `raw`): field and path. A field of the record itself takes precedence.',
    ),
  ),
  mayRefuse: Type.Optional(
    Type.Boolean({
      description: 'A parent whose list is refused (403, 404) is skipped. Otherwise the read fails.',
    }),
  ),
  prefer: Type.Optional(condition('Which of several parents a record is kept from.')),
  nested: Type.Optional(
    condition(
      'Which records have such a list, too: it is read with `{{parent.id}}` of the record, and so on, to any depth. Needs a record with one `id`.',
    ),
  ),
}

const GrandParents = Type.Object(parentKeys, {
  ...strict,
  description:
    'Parents of the parents. This list is read once for each of them, and its path uses `{{parent.id}}`. `keep` adds their values to the parents.',
})

export const Parents = Type.Object(
  { ...parentKeys, each: Type.Optional(GrandParents) },
  {
    ...strict,
    description:
      'Reads the list once per record of this parent list. `{{parent.id}}` and others read the parent. A record of several parents appears once per page: the first that matches `prefer`, or the first.',
  },
)
export type Parents = Static<typeof Parents>

const AssociationRequest = Type.Object(
  {
    ...request,
    records: listing.records,
    of: path('Path, in an item, of the id of the record that it belongs to.'),
    next: Type.Optional(
      path(
        'Path, in an item, of a cursor for links that the response left out. The next request reads it as `{{item.after}}`.',
      ),
    ),
    max: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Largest number of records in one request.' }),
  },
  {
    ...strict,
    description:
      'A request for the links of all records of a page. Its variables: `records`, each with `item.id`, and `association`, the name of the field.',
  },
)

export const ReadAssociation = Type.Object(
  {
    ask: Type.Optional(
      name(
        'Text that requests the association. All such texts, joined with commas, are `{{associations}}` of the read request.',
      ),
    ),
    request: Type.Optional(AssociationRequest),
    list: Type.Optional(
      path(
        'Path of the links in the record, or in an item of the response to `request`. Without it, the record or item is the link; an empty `id` means no link.',
      ),
    ),
    id: path('Path, in a link, of the other record’s id.'),
    match: Type.Optional(
      pattern(
        'Pattern (RE2) of whole field names, in any letter case. The entry then stands for every field that matches, such as the names of custom objects, and its own name means nothing.',
      ),
    ),
  },
  { ...strict, description: 'Where links of a record come from. It has `ask` or `request`.' },
)
export type ReadAssociation = Static<typeof ReadAssociation>

const PartOfRecord = Type.Object(
  {
    list: Type.Optional(path('Path of a list or an object in the record. One item holds the value.')),
    when: Type.Optional(condition('Which item holds the value.')),
    path: path('Path of the value, in the record or in the item.'),
    each: Type.Optional(path('Path of the part, in an item of the list at `path`.')),
    join: Type.Optional(text('Separator between the parts.')),
    capture,
  },
  strict,
)
export type PartOfRecord = Static<typeof PartOfRecord>

const FieldsPerRequest = Type.Object(
  {
    bytes: Type.Optional(
      Type.Integer({
        minimum: 200,
        description:
          'Longest `{{fields}}` of a request, in bytes as a URL has it. The other fields need more requests. One of `bytes` and `count` is required.',
      }),
    ),
    count: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 10_000,
        description: 'Largest number of fields in a request. The other fields need more requests.',
      }),
    ),
    version: Type.Optional(
      name(
        'Field that changes whenever the record does, such as the time of the last change. It is part of each request. If it differs between the requests, Mortise reads the record again. Leave it out only for records that never change.',
      ),
    ),
    request: Type.Optional(
      Type.Object(ReadByIds.properties, {
        ...strict,
        description: 'Request for the other fields of several records. Default: `readByIds`.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'For lists of fields that are too long for one request. Mortise requests the other fields by the ids of the records, and joins the parts. A record that was deleted meanwhile is left out.',
  },
)

export const Read = Type.Object(
  {
    ...listing,
    only,
    each: Type.Optional(Parents),
    job: Type.Optional(ReadJob),
    id: Type.Optional(
      Type.Unsafe<string | string[]>({
        type: ['string', 'array'],
        format: 'named-path',
        items: { type: 'string', format: 'named-path' },
        minItems: 2,
        description:
          'Path of the record’s id. Default: `id`. It may name the object and its `set`, as in `{{object}}Id`. A list of paths makes a composite id such as `owner/repo/7`; `{{id.owner}}` reads a part, by the last name of its path.',
      }),
    ),
    getEach: Type.Optional(
      Type.Boolean({
        description:
          'The list has only ids, or part of each record: Mortise requests each listed record with `get`, a few concurrently. It skips records that do not exist any more (404). In `incremental.read`, the list is one of changes: `id` is the path of the changed record’s id, and nothing else of an item becomes part of the record.',
      }),
    ),
    total: Type.Optional(namedPath('Path of the total number of records. It may name the object and its `set`.')),
    totalHeader: Type.Optional(name('Response header with the total number of records.')),
    flatten: Type.Optional(
      paths('Paths of objects in the record whose keys become fields of the record, such as `properties`.'),
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
        'Additional fields, by name. A path; `{path, capture}` for a part of a text; `{path, each, join}` for parts of a list; with `list` and `when`, the first item that matches. They may be part of the id. A field of the record itself takes precedence.',
      ),
    ),
    customFields: Type.Optional(CustomFields),
    links: Type.Optional(
      paths(
        'Paths of ids that the provider replaces by the linked record on request. The variable `links` lists those that a requested field needs, innermost only.',
      ),
    ),
    filterable: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Fields that filters of reads and searches may use, where the provider ignores unknown filters. Default: all.',
      }),
    ),
    fieldsExcept: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Names to leave out of `{{fields}}` (the requested fields, joined with commas), in any letter case.',
      }),
    ),
    fieldsForAll: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Value of `{{fields}}` when all fields are requested, in addition to `fieldsAlways`. Default: every described field. With an empty list, `{{fields}}` has no value.',
      }),
    ),
    fieldsAlways: Type.Optional(
      Type.Array(Type.String({ format: 'template' }), {
        description: 'Names that are always first in `{{fields}}`. They may name the object and its `set`.',
      }),
    ),
    exactNames: Type.Optional(
      pattern(
        'Pattern (RE2) of field names that Mortise requests as they are. In place of any other, it requests the described field that has this name in another letter case. For APIs that ignore names in another letter case.',
      ),
    ),
    fieldsPerRequest: Type.Optional(FieldsPerRequest),
    urlBytesMax: Type.Optional(
      Type.Integer({
        minimum: 500,
        description:
          'Longest URL in bytes. A longer one (many fields) is replaced by the request of `incremental.read`. Needs `incremental.reach: everything`.',
      }),
    ),
    children: Type.Optional(
      map(
        Child,
        'Lists of each record, by field (in `fields` and `raw`). Mortise reads them only when the field is requested by name.',
      ),
    ),
    associations: Type.Optional(
      map(
        ReadAssociation,
        'Linked records, by field: a list of `{id}`, also in `associations` of messages. Mortise reads them only when the field is requested by name.',
      ),
    ),
  },
  { ...strict, description: 'How records are listed.' },
)
export type Read = Static<typeof Read>

/** Checked in full once it is merged with `read`: a null in it removes a key. */
export const ReadChanges = Type.Unsafe<Partial<Read>>({
  type: 'object',
  description:
    'Changes to `read` for a read with `since`. Objects are merged, other values replaced; null removes a key. A full read uses `read`, unless `reach` says otherwise.',
})

export const SearchChanges = Type.Unsafe<Partial<Read>>({
  type: 'object',
  description:
    'Changes to `read` for a search, merged like those of `incremental.read`. The request uses the variable `filters`, a list of `{field, value}`.',
})
