import { Type } from 'typebox'
import { isSameBytes } from '../../../../../kernel/encryption/index.ts'
import { Empty, endpoint, reply } from '../../../../../kernel/http/index.ts'
import { browserFor } from '../../browser-cookie.ts'
import { popupHeaders } from '../../popup-page.ts'
import { stalePage } from '../../show-outcome.ts'
import type { GoOnServices } from '../resume-from-page.ts'
import { findWaiting, hashedBrowser, keepSession } from '../session.ts'

export const startCustomAuth = endpoint({
  id: 'startCustomAuth',
  method: 'GET',
  path: '//callbacks/v1/custom-auth/start',
  access: 'public',
  summary: 'Start multi-step authentication in a browser: binds it with a cookie, and redirects to the provider.',
  description: 'Only the first browser that opens it can finish.',
  tag: 'Connections',
  extension: true,
  query: Type.Object({ state: Type.Optional(Type.Unsafe<unknown>({ description: 'Which session.' })) }),
  produces: 'text/html; charset=utf-8',
  reply: { 303: Empty, 400: Type.String() },
  run: async ({ query, headers }, services: GoOnServices) => {
    const state = typeof query.state === 'string' && query.state.length <= 200 ? query.state : ''
    const waiting = state === '' ? undefined : await findWaiting(services, state)
    const browser = browserFor(services, headers)
    const location = waiting && (await bound(services, waiting, hashedBrowser(browser.secret)))
    if (location === undefined) return reply(400, stalePage(), popupHeaders)
    return reply(303, null, {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'set-cookie': browser.setCookie,
      location,
    })
  },
})

/** Binds a session to a browser. Returns the page of the provider; undefined if it belongs to another browser. */
async function bound(
  services: GoOnServices,
  { projectId, session: { end }, take }: NonNullable<Awaited<ReturnType<typeof findWaiting>>>,
  browserHash: string,
): Promise<string | undefined> {
  if (!end?.url) return undefined
  if (end.browserHash !== undefined)
    return isSameBytes(Buffer.from(end.browserHash), Buffer.from(browserHash)) ? end.url : undefined
  const db = services.database.forProject(projectId)
  // Of two browsers, one claims it.
  const session = await take(db)
  if (!session?.end) return undefined
  await keepSession(db, services, { ...session, end: { ...session.end, browserHash } })
  return end.url
}
