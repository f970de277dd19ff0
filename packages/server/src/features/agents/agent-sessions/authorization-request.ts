import { Type } from 'typebox'
import type { NewId } from '../../../kernel/db/index.ts'
import { Empty, reply } from '../../../kernel/http/index.ts'
import { beginSignIn } from './begin-sign-in.ts'
import { browserFor } from './browser-cookie.ts'
import type { DocumentServices } from './client-document.ts'
import { refusedPage, signInHeaders } from './refusal-page.ts'
import type { TokenIssuer } from './token-issuer.ts'

const parameter = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }))

/** What authorization endpoints have in common. */
export const authorization = {
  method: 'GET',
  access: 'public',
  tag: 'Agent sign-in',
  extension: true,
  rateScope: 'endpoint',
  // Untyped, so that a repeated or overlong value also gets a page as its response.
  query: Type.Object({
    response_type: parameter('`code`.'),
    client_id: parameter('Id of the client, or the address of its metadata document.'),
    redirect_uri: parameter('Where the browser goes at the end; one of the client’s.'),
    code_challenge: parameter('Challenge of PKCE (RFC 7636).'),
    code_challenge_method: parameter('`S256`.'),
    resource: parameter('Address of the MCP server (RFC 8707).'),
    scope: parameter('Scopes. They have no effect: the person decides.'),
    state: parameter('Returned unchanged.'),
  }),
  produces: 'text/html; charset=utf-8',
  reply: { 303: Empty, 400: Type.String() },
} as const

/** Sends the browser to the page where the person decides, or shows why the request is refused. */
export async function authorizationReply(
  services: DocumentServices & { newId: NewId; publicUrl: string },
  issuer: TokenIssuer,
  request: {
    url: string
    headers: Record<string, string | string[] | undefined>
    isHead: boolean
    signal: AbortSignal
  },
) {
  const { url, headers, isHead, signal } = request
  if (isHead) return reply(400, '', signInHeaders)
  const browser = browserFor(services, headers)
  const parameters = new URLSearchParams(url.split('?')[1] ?? '')
  const begun = await beginSignIn(services, { issuer, parameters, browserSecret: browser.secret, signal })
  if ('faults' in begun) return reply(400, refusedPage(begun), signInHeaders)
  return reply(303, null, { ...signInHeaders, location: begun.url, 'set-cookie': browser.setCookie })
}
