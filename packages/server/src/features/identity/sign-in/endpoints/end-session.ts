import type { Database } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { endSession as end } from '../sessions.ts'

export const endSession = endpoint({
  id: 'endSession',
  method: 'DELETE',
  path: '/sessions/current',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'Sign out: end the session of the bearer token.',
  tag: 'Sign-in',
  extension: true,
  audit: { verb: 'signOut', resource: 'session' },
  reply: { 204: Empty },
  run: async ({ caller }, services: { database: Database; builderTokens: BuilderTokens }) => {
    await end(services, caller.sessionId)
    return reply(204, null)
  },
})
