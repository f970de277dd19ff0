import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, Forbidden, reply } from '../../../../kernel/http/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { consoleOwner } from '../console-request.ts'
import { ConsoleToken } from '../model.ts'
import { SessionEnded } from '../problems.ts'

export const createConsoleToken = endpoint({
  id: 'createConsoleToken',
  method: 'POST',
  path: '//console/token',
  access: 'public',
  summary: 'Exchange the session cookie of the browser for an access token of the console.',
  description:
    'Needs the header `x-mortise-console: 1`, and serves pages of this service only. The token ends with the session.',
  tag: 'Sign-in',
  extension: true,
  audit: { exempt: 'continues a session, whose sign-in has an entry' },
  reply: { 200: ConsoleToken },
  problems: [Forbidden, SessionEnded],
  run: async (
    { headers },
    services: { database: Database; now: () => Date; publicUrl: string; builderTokens: BuilderTokens },
  ) => {
    const owner = await consoleOwner(services, headers)
    if (!owner) throw new SessionEnded()
    const { accessToken, expiresAt } = await services.builderTokens.issue(owner)
    const { builderId, email } = owner
    return reply(200, { accessToken, expiresAt, builderId, email }, { 'cache-control': 'no-store' })
  },
})
