import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { deleteCodes } from '../once-store.ts'
import { deleteSessions } from '../session-store.ts'

export const endOtherSessions = endpoint({
  id: 'endOtherSessions',
  method: 'POST',
  path: '/my-info/sessions:endOthers',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'End all your sessions except this one.',
  description: 'Their tokens end immediately on this node, and within five seconds on the others.',
  tag: 'Sign-in',
  extension: true,
  audit: { verb: 'delete', resource: 'session' },
  reply: { 200: Type.Object({ ended: Type.Integer({ description: 'How many sessions ended.' }) }) },
  run: async ({ caller }, { database, builderTokens }: { database: Database; builderTokens: BuilderTokens }) => {
    const ended = await database.system.transaction().execute(async (tx) => {
      // A code on its way to a command line would become another session.
      await deleteCodes(tx, caller.builderId)
      return await deleteSessions(tx, caller.builderId, caller.sessionId)
    })
    for (const sessionId of ended) builderTokens.forget(sessionId)
    return reply(200, { ended: ended.length })
  },
})
