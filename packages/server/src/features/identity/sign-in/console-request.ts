import type { Database } from '../../../kernel/db/index.ts'
import { Forbidden, isSameOrigin } from '../../../kernel/http/index.ts'
import { sessionTokenHash } from './browser.ts'
import { findSessionByToken, type SessionOwner } from './session-store.ts'

/**
 * Returns whose browser sent a request of the console; undefined without a session. Cookies arrive with requests of
 * other pages too, so the request also needs a header that those cannot send with a cookie.
 *
 * @throws Forbidden when a page of another origin sent the request
 */
export async function consoleOwner(
  services: { database: Database; now: () => Date; publicUrl: string },
  headers: Record<string, string | string[] | undefined>,
): Promise<SessionOwner | undefined> {
  if (headers['x-mortise-console'] !== '1' || !isSameOrigin(services, headers))
    throw new Forbidden({
      detail: 'Only the console may send this request, with the header `x-mortise-console: 1`.',
      remedy: 'Open /console. In programs, sign in with `POST /v1/sessions`, or use an API key.',
    })
  const tokenHash = sessionTokenHash(services, headers)
  return tokenHash && (await findSessionByToken(services.database.system, tokenHash, ['browser'], services.now()))
}
