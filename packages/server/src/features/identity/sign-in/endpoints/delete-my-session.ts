import { type Database, isId } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { SessionNotFound } from '../problems.ts'
import { deleteSessionOf } from '../session-store.ts'

export const deleteMySession = endpoint({
  id: 'deleteMySession',
  method: 'DELETE',
  path: '/my-info/sessions/{sessionId}',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'End one of your sessions.',
  description: 'Its tokens end immediately on this node, and within five seconds on the others.',
  tag: 'Sign-in',
  extension: true,
  params: Path({ sessionId: Ref }),
  reply: { 204: Empty },
  problems: [SessionNotFound],
  run: async (
    { caller, params: { sessionId } },
    { database, builderTokens }: { database: Database; builderTokens: BuilderTokens },
  ) => {
    const id = sessionId.toLowerCase()
    if (!isId(id) || !(await deleteSessionOf(database.system, caller.builderId, id))) throw new SessionNotFound()
    builderTokens.forget(id)
    return reply(204, null)
  },
})
