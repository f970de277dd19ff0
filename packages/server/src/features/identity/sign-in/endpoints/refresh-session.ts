import { Type } from 'typebox'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { SessionTokens, SubmittedToken } from '../model.ts'
import { SessionEnded } from '../problems.ts'
import { sessionTokens } from '../session-tokens.ts'
import { refreshSession as refresh } from '../sessions.ts'

export const refreshSession = endpoint({
  id: 'refreshSession',
  method: 'POST',
  path: '/sessions:refresh',
  access: 'public',
  summary: 'Exchange a refresh token for a new access token and the next refresh token.',
  description:
    'A refresh token works once. If it is used a second time, two parties may have it: the session ends with all its tokens.',
  tag: 'Sign-in',
  extension: true,
  audit: { exempt: 'continues a session, whose sign-in has an entry' },
  body: Type.Object({ refreshToken: SubmittedToken('The refresh token of the last answer.') }),
  reply: { 200: SessionTokens },
  problems: [SessionEnded],
  run: async (
    { body },
    services: { database: Database; newId: NewId; now: () => Date; builderTokens: BuilderTokens },
  ) => {
    const session = await refresh(services, body.refreshToken)
    if (!session) throw new SessionEnded()
    return reply(200, await sessionTokens(services, session))
  },
})
