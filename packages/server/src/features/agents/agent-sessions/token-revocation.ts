import type { Readable } from 'node:stream'
import type { Database } from '../../../kernel/db/index.ts'
import { type AuditNote, Empty, readForm, reply } from '../../../kernel/http/index.ts'
import { type BuilderSessionServices, endBuilderSession } from './builder-session.ts'
import { noStore, OAuthError, OAuthErrorBody, oauthReply, singleFields } from './oauth-error.ts'
import { digestOf, readRefreshToken } from './secrets.ts'
import { deleteSessionOfToken } from './session-store.ts'
import { isForBuilders, type TokenIssuer } from './token-issuer.ts'

/** What revocation endpoints have in common. */
export const revocation = {
  method: 'POST',
  access: 'public',
  description:
    'A form with `token` and `client_id`. Ends the session of the token. The response is the same if there is none.',
  tag: 'Agent sign-in',
  extension: true,
  rateScope: 'endpoint',
  accepts: 'binary',
  bodyBytesMax: 16_384,
  reply: { 200: Empty, 400: OAuthErrorBody },
} as const

/** Ends the session of a token, for its client. */
export async function revocationReply(
  services: BuilderSessionServices & { database: Database },
  issuer: TokenIssuer,
  request: {
    headers: Record<string, string | string[] | undefined>
    body: unknown
    note: (note: AuditNote) => void
  },
) {
  const { headers, body, note } = request
  return await oauthReply(async () => {
    const fields = singleFields(await readForm(headers, body as Readable | undefined))
    const [token, clientId] = [fields.get('token'), fields.get('client_id')]
    const missing = [...(token ? [] : ['token']), ...(clientId ? [] : ['client_id'])]
    if (!token || !clientId) throw new OAuthError('invalid_request', `Missing: ${missing.join(', ')}.`)
    const refresh = readRefreshToken(token)
    const db = services.database.forProject(issuer.projectId)
    const hashes = refresh ? { familyHash: refresh.familyHash } : { accessHash: digestOf(token) }
    const ended = await deleteSessionOfToken(db, { clientId, ...hashes })
    if (!ended) return reply(200, null, noStore)
    if (isForBuilders(issuer)) {
      const owner = await endBuilderSession(services, ended.id)
      const actor = owner && { kind: 'person' as const, id: owner.builderId, name: owner.email }
      if (actor) note({ outcome: 'success', resourceId: ended.id, actor })
      return reply(200, null, noStore)
    }
    const actor = { kind: 'consumerToken' as const, id: ended.id, name: ended.client_name }
    note({ outcome: 'success', log: issuer.projectId, resourceId: ended.id, actor })
    return reply(200, null, noStore)
  })
}
