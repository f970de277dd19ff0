import { Type } from 'typebox'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { withOwners } from '../../../platform/operations/index.ts'
import { DeadLetterWithRecords } from '../dead-letter-model.ts'
import { deadLetterWithRecords, foundDeadLetter } from '../dead-letters.ts'
import { DeadLetterNotFound } from '../problems.ts'

export const getDeadLetter = endpoint({
  id: 'getDeadLetter',
  method: 'GET',
  path: '/projects/{projectIdOrName}/dead-letters/{deadLetterId}',
  access: 'view',
  summary: 'Get a dead letter with its records.',
  tag: 'Messages',
  extension: true,
  params: Path({
    ...ProjectPath.properties,
    deadLetterId: Type.String({ ...Ref, description: 'Id of the dead letter.' }),
  }),
  reply: { 200: DeadLetterWithRecords },
  problems: [DeadLetterNotFound],
  run: async ({ db, params }) => {
    const shown = deadLetterWithRecords(await foundDeadLetter(db, params.deadLetterId))
    const [owned = shown] = await withOwners(db, [shown])
    return reply(200, owned)
  },
})
