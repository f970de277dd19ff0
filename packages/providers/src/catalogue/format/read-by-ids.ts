import { type Static, Type } from 'typebox'
import { listing } from './listing.ts'
import { request } from './request.ts'
import { strict } from './vocabulary.ts'

const { records, mayLackRecords, unwrap } = listing

export const ReadByIds = Type.Object(
  {
    ...request,
    records,
    mayLackRecords,
    unwrap,
    max: Type.Integer({ minimum: 2, maximum: 1000, description: 'Most ids of one request; `{{pageSize}}`, too.' }),
  },
  {
    ...strict,
    description:
      'How several records are read by their ids in one request: the list `ids` (`{{ids}}` joins them by commas), with the fields `{{fields}}`. The answer may leave out those that are gone. Its records are what `read` says.',
  },
)
export type ReadByIds = Static<typeof ReadByIds>
