import { type Static, Type } from 'typebox'
import { CustomFields } from './custom-fields.ts'
import { listing } from './listing.ts'
import { Periods } from './periods.ts'
import { ReadByIds } from './read-by-ids.ts'
import { ReadJob } from './read-job.ts'
import { request } from './request.ts'
import { pathOr, Value } from './values.ts'
import { condition, type Match, map, name, namedPath, path, paths, pattern, strict, template } from './vocabulary.ts'

const only = Type.Optional(condition('Which items of the list are records. Others are dropped.'))

export const Child = Type.Object(
  { ...listing, only },
  {
    ...strict,
    description: 'A list that is read once per record: `{{record.id}}`.',
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
        'Parents that the file lists: `{{parent.type}}` reads `type`. With `path`, each listed parent is combined with each.',
    }),
  ),
  id: Type.Optional(path('Path of the parent’s id. Default: `id`. An interrupted read finds its parent with it.')),
  keep: Type.Optional(
    map(
      Type.String({ format: 'path' }),
      'Values of the parent to add to its records (in `fields` and `raw`): field and path. Fields of the record take precedence.',
    ),
  ),
  mayRefuse: Type.Optional(
    Type.Unsafe<boolean | Match>({
      ...condition(''),
      type: ['boolean', 'object'],
      description:
        'Parents whose list is refused (403, 404) are skipped: all, or those that fit the condition. Otherwise the read fails. With `nested` and without `path`, the parents in `values` must not refuse.',
    }),
  ),
  prefer: Type.Optional(condition('Which of several parents a record is kept from.')),
  nested: Type.Optional(
    condition(
      'Which records have such a list, too, read with their `{{parent.id}}`, or the name that is the `id` of parents, to any depth. Needs one `id`.',
    ),
  ),
}

const GrandParents = Type.Object(parentKeys, {
  ...strict,
  description: 'Parents of the parents: this list is read once for each. `keep` adds their values to the parents.',
})

export const Parents = Type.Object(
  { ...parentKeys, each: Type.Optional(GrandParents) },
  {
    ...strict,
    description:
      'Reads the list once per record of this list: `{{parent.id}}`. Of several parents on a page, the first that matches `prefer` counts.',
  },
)
export type Parents = Static<typeof Parents>

const AssociationRequest = Type.Object(
  {
    ...request,
    records: listing.records,
    of: path('Path, in an item, of the id of the record that it belongs to.'),
    next: Type.Optional(path('Path, in an item, of `{{item.after}}`, a cursor for links that the response left out.')),
    max: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Most records that a request may name.' }),
  },
  {
    ...strict,
    description:
      'A request for the links of all records of a page: `records` (each with `item.id`), for the field `association`.',
  },
)

export const ReadAssociation = Type.Object(
  {
    ask: Type.Optional(name('Text that requests the association. `{{associations}}` joins them with commas.')),
    request: Type.Optional(AssociationRequest),
    list: Type.Optional(
      path(
        'Path of the links, in the record or in an item of the response. Default: the record or item is the link, unless its `id` is empty.',
      ),
    ),
    id: path('Path, in a link, of the other record’s id.'),
    match: Type.Optional(
      pattern('Pattern of whole field names, in any letter case. The entry stands for every field that matches.'),
    ),
  },
  { ...strict, description: 'Where links of a record come from. It has `ask` or `request`.' },
)
export type ReadAssociation = Static<typeof ReadAssociation>

const FieldsPerRequest = Type.Object(
  {
    bytes: Type.Optional(
      Type.Integer({
        minimum: 200,
        description: 'Longest `{{fields}}` of a request, in bytes of a URL. `bytes` or `count` is required.',
      }),
    ),
    count: Type.Optional(
      Type.Integer({ minimum: 2, maximum: 10_000, description: 'Largest number of fields in a request.' }),
    ),
    version: Type.Optional(
      name(
        'Field that changes with the record, such as the time of its change. If it differs between requests, Mortise reads the record again. Leave it out only if records never change.',
      ),
    ),
    id: Type.Optional(
      path('Path of the id that the request by ids names, in both records. Default: the id of the record.'),
    ),
    request: Type.Optional(
      Type.Object(ReadByIds.properties, {
        ...strict,
        description:
          'Request for the other fields of several records. Without `{{ids}}`, its response has all records. Default: `readByIds`.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'Requests fields that are too many for one request, by the ids of the records. A record that was deleted meanwhile is left out.',
  },
)

export const Read = Type.Object(
  {
    ...listing,
    only,
    each: Type.Optional(Parents),
    periods: Type.Optional(Periods),
    job: Type.Optional(ReadJob),
    id: Type.Optional(
      Type.Unsafe<string | string[]>({
        type: ['string', 'array'],
        format: 'named-path',
        items: { type: 'string', format: 'named-path' },
        minItems: 2,
        description:
          'Path of the record’s id. Default: `id`. It may use variables of the object. Several paths make an id such as `owner/repo/7`; `{{id.owner}}` reads a part, by the last name of its path. All need a value; with `format: csv`, only the first.',
      }),
    ),
    getEach: Type.Optional(
      Type.Unsafe<boolean | string[]>({
        type: ['boolean', 'array'],
        items: { type: 'string', maxLength: 500 },
        minItems: 1,
        description:
          'The list has only ids, or part of each record: `get` requests each one, and a missing one (404) is skipped. A list of fields: only if a read requests one of them by name. In `incremental.read`, items are changes with the `id` of a record, and nothing else of them is used.',
      }),
    ),
    total: Type.Optional(namedPath('Path of the total number of records. It may use variables of the object.')),
    totalHeader: Type.Optional(name('Response header with the total number of records.')),
    flatten: Type.Optional(paths('Paths of objects whose keys become fields of the record, such as `properties`.')),
    lift: Type.Optional(
      map(
        pathOr(Value),
        'Additional fields of the record, by name: a path, or an object. The id may use them. Fields that the record has take precedence.',
      ),
    ),
    customFields: Type.Optional(CustomFields),
    links: Type.Optional(
      paths(
        'Paths of ids that the provider replaces by the linked record. `{{links}}` are the innermost that the requested fields need.',
      ),
    ),
    filterable: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Fields that filters may use, if the provider ignores unknown ones. Default: all.',
      }),
    ),
    fieldsExcept: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Names to leave out of `{{fields}}` (the requested fields, with commas), in any letter case.',
      }),
    ),
    fieldsForAll: Type.Optional(
      Type.Array(Type.String(), {
        description:
          '`{{fields}}` of all fields, besides `fieldsAlways`. Default: every described field. An empty list: no value.',
      }),
    ),
    fieldsAlways: Type.Optional(
      Type.Array(Type.String({ format: 'template' }), {
        description: 'Names that are always first in `{{fields}}`. They may name the object and its `set`.',
      }),
    ),
    fieldNames: Type.Optional(
      pattern(
        'Pattern (RE2) of field names for `{{fields}}`, such as `^[A-Z_]+$`. It has no value if another name is requested, or all fields. For APIs in which letter case counts, if a request without names returns all fields.',
      ),
    ),
    exactNames: Type.Optional(
      pattern(
        'Pattern (RE2) of field names that Mortise requests as they are, such as `^[A-Z]`. In place of any other, it requests the described field that has this name in another letter case. For APIs that ignore names in another letter case.',
      ),
    ),
    fieldsPerRequest: Type.Optional(FieldsPerRequest),
    urlBytesMax: Type.Optional(
      Type.Integer({
        minimum: 500,
        description:
          'Longest URL in bytes. `incremental.read` replaces a longer one. Needs `incremental.reach: everything`.',
      }),
    ),
    children: Type.Optional(
      map(Child, 'Lists of each record, by field (in `fields` and `raw`), if the field is requested by name.'),
    ),
    associations: Type.Optional(
      map(
        ReadAssociation,
        'Linked records, by field: a list of `{id}`, also in `associations` of messages, if the field is requested by name.',
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
    'Changes to `read` for a read with `since`. Objects are merged, other values replaced; null removes a key.',
})

export const SearchChanges = Type.Unsafe<Partial<Read>>({
  type: 'object',
  description:
    'Changes to `read` for a search, like those of `incremental.read`. `filters` is a list of `{field, value}`.',
})
