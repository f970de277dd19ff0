import { endpoint, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { DeadLetterSelection, DiscardedDeadLetters, discardedMax } from '../dead-letter-model.ts'
import { discardMessages } from '../dead-letter-store.ts'
import { selectedDeadLetters } from '../dead-letters.ts'

export const discardDeadLetters = endpoint({
  id: 'discardDeadLetters',
  method: 'POST',
  path: '/projects/{projectIdOrName}/dead-letters:discard',
  access: 'operate',
  summary: 'Discard dead letters.',
  description:
    'They are messages of state `discarded` from then on, until their retention ends. A replay by id sends one anyway.',
  tag: 'Messages',
  extension: true,
  params: ProjectPath,
  body: DeadLetterSelection,
  reply: { 200: DiscardedDeadLetters },
  run: async ({ db, body }) => {
    const discarded = await discardMessages(db, await selectedDeadLetters(db, body), discardedMax)
    return reply(200, { discarded, more: discarded === discardedMax })
  },
})
