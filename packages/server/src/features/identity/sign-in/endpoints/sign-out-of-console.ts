import type { Database } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, Forbidden, reply } from '../../../../kernel/http/index.ts'
import { noSessionCookie } from '../browser.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { consoleOwner } from '../console-request.ts'
import { endSession } from '../sessions.ts'
import { signedIn } from '../signed-in.ts'

export const signOutOfConsole = endpoint({
  id: 'signOutOfConsole',
  method: 'POST',
  path: '//console/signout',
  access: 'public',
  summary: 'End the session of the browser, with the tokens of the console.',
  description: 'Needs the header `x-mortise-console: 1`, and serves pages of this service only.',
  tag: 'Sign-in',
  extension: true,
  audit: { verb: 'signOut', resource: 'session' },
  reply: { 204: Empty },
  problems: [Forbidden],
  run: async (
    { headers, note },
    services: { database: Database; now: () => Date; publicUrl: string; builderTokens: BuilderTokens },
  ) => {
    const owner = await consoleOwner(services, headers)
    note(owner ? signedIn({ id: owner.builderId, email: owner.email }) : { outcome: 'none' })
    if (owner) await endSession(services, owner.sessionId)
    return reply(204, null, { 'set-cookie': noSessionCookie(services), 'cache-control': 'no-store' })
  },
})
