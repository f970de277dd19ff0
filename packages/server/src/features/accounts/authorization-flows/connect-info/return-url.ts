import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Issue } from '../../../../kernel/http/index.ts'
import { getProjectRow } from '../../../identity/projects/index.ts'
import { connectPagePath, type OpenedSession, openConnectSession } from '../connect-page/connect-session.ts'
import { frameOriginsOf } from '../connect-page/frame-origins.ts'

type ReturnServices = Parameters<typeof openConnectSession>[0] & { publicUrl: string }

/**
 * Returns the issues of the page that a browser returns to with the result: it is the page of the caller's session, the
 * `redirectUrl` of the session, or a page of an origin that the project trusts. Any other page could be an attacker's.
 */
export async function returnUrlIssues(
  db: ProjectDb,
  services: ReturnServices,
  returnUrl: string | undefined,
  session: OpenedSession | undefined,
): Promise<Issue[]> {
  const issue = { in: 'body', name: 'returnUrl' } as const
  const remedy =
    'Send the page of the connect session, its redirectUrl, or a page of one of the frameOrigins in the connect settings of the project.'
  if (returnUrl === undefined)
    return [{ ...issue, detail: 'With the mode `redirect`, the request needs returnUrl.', remedy }]
  const url = URL.parse(returnUrl)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (isPlain && returnUrl === session?.content.redirectUrl) return []
  if (isPlain && session && (await isPageOf(services, url, session))) return []
  if (isPlain && frameOriginsOf(await getProjectRow(db), session).includes(url.origin)) return []
  return [{ ...issue, value: returnUrl, detail: 'The browser may not return to this page.', remedy }]
}

async function isPageOf(services: ReturnServices, url: URL, session: OpenedSession): Promise<boolean> {
  const token = /^\/connect\/([A-Za-z0-9_-]{43})$/.exec(url.pathname)?.[1]
  if (token === undefined || url.href !== `${services.publicUrl}${connectPagePath(token)}`) return false
  return (await openConnectSession(services, token))?.id === session.id
}
