import { Type } from 'typebox'
import { bodyLimits, callerName, endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { withOwners } from '../../../platform/operations/index.ts'
import { DeadLetterUpdate, DeadLetterWithRecords } from '../dead-letter-model.ts'
import { correctDeadLetter, deadLetterWithRecords } from '../dead-letters.ts'
import { DeadLetterNotFound } from '../problems.ts'

export const updateDeadLetter = endpoint({
  id: 'updateDeadLetter',
  method: 'PATCH',
  path: '/projects/{projectIdOrName}/dead-letters/{deadLetterId}',
  access: 'operate',
  summary: 'Correct the records of a dead letter.',
  description:
    'Replaces the records. The ids of the records stay, and the rest of the message too. Mortise keeps the records of before the first correction in `originalRecords`. To send the dead letter, redrive it.',
  tag: 'Messages',
  audit: { isOfCustomer: true },
  extension: true,
  params: Path({
    ...ProjectPath.properties,
    deadLetterId: Type.String({ ...Ref, description: 'Id of the dead letter.' }),
  }),
  body: DeadLetterUpdate,
  bodyBytesMax: bodyLimits.large,
  reply: { 200: DeadLetterWithRecords },
  problems: [DeadLetterNotFound],
  run: async ({ db, params, body, caller }) => {
    const corrected = await correctDeadLetter(db, params.deadLetterId, {
      records: body.records,
      by: callerName(caller),
    })
    const shown = deadLetterWithRecords(corrected)
    const [owned = shown] = await withOwners(db, [shown])
    return reply(200, owned)
  },
})
