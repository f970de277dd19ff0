import { Type } from 'typebox'
import { Paging } from './paging.ts'
import { request } from './request.ts'
import { ResponseMatch, status } from './responses.ts'
import { Rows } from './rows.ts'
import { map, name, namedPath, path, strict } from './vocabulary.ts'

const { when } = ResponseMatch.properties

const None = Type.Object(
  { status: status(200, 499), when },
  {
    ...strict,
    description: 'A response that means “no records”, such as a 404.',
  },
)

/** The same for the request of one record. */
export const NoRecord = Type.Object(
  {
    status: Type.Optional(status(200, 599)),
    when,
  },
  {
    ...strict,
    minProperties: 1,
    description: 'A response that means that the record does not exist. Default: 404 and 410.',
  },
)

const Within = Type.Object(
  {
    list: path('Path of the list in an item. Absent or null: the item has no records.'),
    keep: Type.Optional(
      map(
        Type.String({ format: 'path' }),
        'Values of the item to add to its records: field and path. Fields of the record take precedence.',
      ),
    ),
  },
  {
    ...strict,
    description:
      'The records are in a list of each item, such as the refunds of an order. It must be complete. Pages count items.',
  },
)

/** The keys of any list that is read: records, children, fields, choices. */
export const listing = {
  ...request,
  records: Type.Optional(
    namedPath(
      'Path of the list in the response. Default: the response. It may use variables of the object, as in `data.{{object}}`.',
      1,
    ),
  ),
  mayLackRecords: Type.Optional(
    Type.Boolean({ description: 'A response without the list has no records. Default: it is an error.' }),
  ),
  none: Type.Optional(None),
  keyedBy: Type.Optional(name('The list is an object, whose keys become this field of the records, such as `id`.')),
  valueAs: Type.Optional(
    name(
      'The items of the list are values, such as ids. This field of the record has the value. Objects stay as they are.',
    ),
  ),
  single: Type.Optional(Type.Boolean({ description: 'The response is one record, such as the account, or null.' })),
  unwrap: Type.Optional(
    namedPath('Path of the record in an item, such as `node`. It may use variables of the object.'),
  ),
  rows: Type.Optional(Rows),
  within: Type.Optional(Within),
  pageSizeMax: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'Largest page, and the value of `{{pageSize}}`. Default: 100.',
    }),
  ),
  paging: Type.Optional(Paging),
}
