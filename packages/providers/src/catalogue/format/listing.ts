import { Type } from 'typebox'
import { Paging } from './paging.ts'
import { request } from './request.ts'
import { Match, namedPath, path, strict } from './vocabulary.ts'

const None = Type.Object(
  {
    status: Type.Integer({ minimum: 200, maximum: 499, description: 'Status of the answer.' }),
    when: Type.Optional(Match),
  },
  {
    ...strict,
    description:
      'An answer that says: there are no records, where the provider has an error for it (404) instead of an empty list.',
  },
)

/** The keys of any list that is read: records, children, fields, choices. */
export const listing = {
  ...request,
  records: Type.Optional(
    namedPath(
      'Path of the list of records in the answer; the whole answer when absent. May name the object and its `set`, as in `{{object}}`.',
      1,
    ),
  ),
  mayLackRecords: Type.Optional(
    Type.Boolean({ description: 'An answer without that list has no records; otherwise it is an error.' }),
  ),
  none: Type.Optional(None),
  unwrap: Type.Optional(path('Path of the record in an item of the list, such as `node`.')),
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
