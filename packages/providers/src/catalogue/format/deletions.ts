import { type Static, Type } from 'typebox'
import { ReadChanges } from './read.ts'
import { SubmitChanges } from './read-job.ts'
import { condition, path, strict } from './vocabulary.ts'

export const Deletions = Type.Object(
  {
    when: Type.Optional(condition('What a deleted record looks like in the list.')),
    read: Type.Optional(
      Type.Unsafe<object>({
        ...ReadChanges,
        description:
          'Changes to the request of a read with `since`, after those of `incremental.read`, so that it lists deleted records, too. Needs `when`.',
      }),
    ),
    job: Type.Optional(SubmitChanges),
    list: Type.Optional(
      Type.Unsafe<object>({
        ...ReadChanges,
        description:
          'A list of deleted records, as changes to `read`, which follows the changed records. `only` says which items are deletions.',
      }),
    ),
    reach: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 3660,
        description:
          'How many days back `list` goes. Of an earlier window, Mortise reads the rest, says so in the log, and checks the ids of all records if the object has a schedule for it. It does the same if `list` reaches its `recordsMax` or is refused (403).',
      }),
    ),
    timestamp: Type.Optional(
      path(
        'Path of the time of the deletion in a record of `list`, if its request cannot use `{{since}}`. Mortise drops others.',
      ),
    ),
  },
  {
    ...strict,
    description:
      'How the provider reports deleted records. Mortise reads them only with `since`, for objects that request deletions.',
  },
)
export type Deletions = Static<typeof Deletions>
