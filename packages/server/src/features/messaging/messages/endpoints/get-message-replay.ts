import { isId } from '../../../../kernel/db/index.ts'
import { endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import { ReplayNotFound } from '../problems.ts'
import { MessageReplay } from '../replay-model.ts'
import { findReplay } from '../replay-store.ts'

export const getMessageReplay = endpoint({
  id: 'getMessageReplay',
  method: 'GET',
  path: '/projects/{projectIdOrName}/message-replays/{replayId}',
  access: 'view',
  summary: 'Get a replay of messages.',
  tag: 'Messages',
  extension: true,
  params: Path({ ...ProjectPath.properties, replayId: Ref }),
  reply: { 200: MessageReplay },
  problems: [ReplayNotFound],
  run: async ({ db, params }) => {
    const found = isId(params.replayId) ? await findReplay(db, params.replayId) : undefined
    if (!found) throw new ReplayNotFound()
    return reply(200, found)
  },
})
