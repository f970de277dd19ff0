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
    max: Type.Integer({
      minimum: 2,
      maximum: 1000,
      description: 'Largest number of ids in one request, and the value of `{{pageSize}}`.',
    }),
  },
  {
    ...strict,
    description:
      'Reads several records in one request: `ids` (`{{ids}}` joins them with commas), with `{{fields}}`. The response may leave out deleted records. Other keys of `read` apply to its records.',
  },
)
export type ReadByIds = Static<typeof ReadByIds>
