import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, readCookie, reply, secret } from '../../../../kernel/http/index.ts'
import { ampCookie } from '../amp-cookie.ts'
import { sessionTokenHash } from '../browser.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { findSessionByToken } from '../session-store.ts'
import { hashSecret } from '../sessions.ts'

const Session = Type.Object({
  id: Type.String({ description: 'Id of the session.' }),
  status: Type.Literal('active', { description: 'Sessions that have ended are not listed.' }),
  last_active_token: Type.Object(
    { jwt: secret(Type.String({ description: 'An access token.' })) },
    { description: 'The token to send as `Authorization: Bearer`.' },
  ),
})

export const getClient = endpoint({
  id: 'getClient',
  method: 'GET',
  path: '/client',
  access: 'public',
  summary: 'Get a new access token for the session of a cookie, for the existing command line (contract 8.5).',
  description:
    'The session is that of the cookie `__client`, of `__dev_session`, or of the sign-in pages in this browser. Without one the list is empty.',
  tag: 'Sign-in',
  extension: true,
  query: Type.Object({
    _clerk_js_version: Type.Optional(Type.String({ description: 'Sent by the existing command line. Ignored.' })),
    __dev_session: Type.Optional(
      secret(Type.String({ maxLength: 200, description: 'The token of the session, where cookies are not kept.' })),
    ),
  }),
  reply: {
    200: Type.Object({
      response: Type.Object(
        { sessions: Type.Array(Session, { description: 'At most one.' }) },
        { description: 'The client.' },
      ),
    }),
  },
  run: async (
    { headers, query },
    services: { database: Database; now: () => Date; builderTokens: BuilderTokens; publicUrl: string },
  ) => {
    const sessionToken = query.__dev_session ?? readCookie(headers, ampCookie)
    const { database, now, builderTokens } = services
    const find = (tokenHash: Buffer | undefined, kind: 'cli' | 'browser') =>
      tokenHash && findSessionByToken(database.system, tokenHash, [kind], now())
    const owner =
      (await find(sessionToken === undefined ? undefined : hashSecret(sessionToken), 'cli')) ??
      (await find(sessionTokenHash(services, headers), 'browser'))
    const tokens = owner && (await builderTokens.issue(owner))
    const sessions = tokens
      ? [{ id: owner.sessionId, status: 'active' as const, last_active_token: { jwt: tokens.accessToken } }]
      : []
    return reply(200, { response: { sessions } }, { 'cache-control': 'no-store' })
  },
})
