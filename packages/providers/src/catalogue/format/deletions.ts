import { type Static, Type } from 'typebox'
import { ReadChanges } from './read.ts'
import { SubmitChanges } from './read-job.ts'
import { condition, path, strict } from './vocabulary.ts'

export const Deletions = Type.Object(
  {
    when: Type.Optional(
      condition('What a deleted record looks like among those that the object lists. Delivered as a deletion.'),
    ),
    read: Type.Optional(
      Type.Unsafe<object>({
        ...ReadChanges,
        description:
          'Changes to the request of a read with `since`, so that it lists deleted records, too. Merged like those of `incremental.read`, and after them. Needs `when`.',
      }),
    ),
    job: Type.Optional(SubmitChanges),
    list: Type.Optional(
      Type.Unsafe<object>({
        ...ReadChanges,
        description:
          'A list of deleted records alone, as changes to `read`. A read with `since` reads it after the changed records. `only` says which of its items are deletions, where it has others.',
      }),
    ),
    timestamp: Type.Optional(
      path(
        'Path of the time of the deletion in a record of `list`. Needed where its request does not use `{{since}}`: Mortise drops records outside the window.',
      ),
    ),
  },
  {
    ...strict,
    description:
      'How the provider reports deleted records. Mortise reads them only for objects that request deletions, and not in a read of the full history.',
  },
)
export type Deletions = Static<typeof Deletions>
