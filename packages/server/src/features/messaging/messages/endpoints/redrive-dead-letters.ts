import type { NewId } from '../../../../kernel/db/index.ts'
import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import { DeadLetterSelection } from '../dead-letter-model.ts'
import { redrive, selectedDeadLetters } from '../dead-letters.ts'
import { MessageReplay } from '../replay-model.ts'

export const redriveDeadLetters = endpoint({
  id: 'redriveDeadLetters',
  method: 'POST',
  path: '/projects/{projectIdOrName}/dead-letters:redrive',
  access: 'operate',
  summary: 'Send dead letters again.',
  description:
    'Each gets all its attempts again. Runs in the background as a replay: get the replay to see its progress. Messages of another state are left out.',
  tag: 'Messages',
  extension: true,
  params: ProjectPath,
  body: DeadLetterSelection,
  reply: { 202: MessageReplay },
  run: async ({ db, body }, services: { queue: JobQueue; newId: NewId }) =>
    reply(202, await redrive(db, services, await selectedDeadLetters(db, body))),
})
