import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { type AuditNote, named, readForm, reply, secret } from '../../../kernel/http/index.ts'
import { type GrantServices, grantTokens } from './grant-tokens.ts'
import { noStore, OAuthErrorBody, oauthReply, singleFields } from './oauth-error.ts'
import { accessSeconds } from './secrets.ts'
import { isForBuilders, type TokenIssuer } from './token-issuer.ts'

const Tokens = named(
  'AgentTokens',
  Type.Object(
    {
      access_token: secret(Type.String({ description: 'For this MCP server only.' })),
      token_type: Type.String({ description: '`Bearer`.' }),
      expires_in: Type.Integer({ description: 'Seconds.' }),
      refresh_token: secret(Type.String({ description: 'For new tokens, once.' })),
      scope: Type.String({ description: 'Scopes of the token.' }),
    },
    { description: 'Tokens of an agent session (RFC 6749, 5.1).' },
  ),
)

/** What token endpoints have in common. */
export const tokenExchange = {
  method: 'POST',
  access: 'public',
  description:
    'A form with `grant_type`, `client_id`, `resource`, and `code` with `code_verifier` and `redirect_uri`, or `refresh_token`. A code or a refresh token that is used twice ends the session.',
  tag: 'Agent sign-in',
  extension: true,
  rateScope: 'endpoint',
  accepts: 'binary',
  bodyBytesMax: 16_384,
  reply: { 200: Tokens, 400: OAuthErrorBody },
} as const

/** Answers a token request. A session that begins leaves an entry in the audit log. */
export async function tokenReply(
  services: GrantServices,
  issuer: TokenIssuer,
  request: {
    headers: Record<string, string | string[] | undefined>
    body: unknown
    address: string
    note: (note: AuditNote) => void
  },
) {
  const { headers, body, address, note } = request
  return await oauthReply(async () => {
    const fields = singleFields(await readForm(headers, body as Readable | undefined))
    const granted = await grantTokens(services, issuer, fields, address)
    const { sessionId, isNew, accessToken, refreshToken, scope, actor } = granted
    const log = isForBuilders(issuer) ? {} : { log: issuer.projectId }
    if (isNew) note({ outcome: 'success', ...log, resourceId: sessionId, actor })
    const tokens = { access_token: accessToken, token_type: 'Bearer', expires_in: accessSeconds }
    return reply(200, { ...tokens, refresh_token: refreshToken, scope }, noStore)
  })
}
