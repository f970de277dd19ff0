import type { Readable } from 'node:stream'
import type { Database } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, NotFound, ProjectPath, readForm, reply } from '../../../../kernel/http/index.ts'
import { noStore, OAuthError, OAuthErrorBody, oauthReply, singleFields } from '../oauth-error.ts'
import { digestOf, readRefreshToken } from '../secrets.ts'
import { deleteSessionOfToken } from '../session-store.ts'
import { signInProject } from '../sign-in-project.ts'

export const revokeAgentToken = endpoint({
  id: 'revokeAgentToken',
  method: 'POST',
  path: '//mcp/v1/projects/{projectIdOrName}/oauth/revoke',
  access: 'public',
  summary: 'Revocation endpoint (RFC 7009): a client signs out.',
  description:
    'A form with `token` and `client_id`. Ends the session of the token. The response is the same if there is none.',
  tag: 'Agent sign-in',
  extension: true,
  audit: { verb: 'delete', resource: 'agent-session', isOfCustomer: true },
  rateScope: 'endpoint',
  params: ProjectPath,
  accepts: 'binary',
  bodyBytesMax: 16_384,
  reply: { 200: Empty, 400: OAuthErrorBody },
  problems: [NotFound],
  run: async ({ params, headers, body, note }, services: { database: Database; publicUrl: string }) => {
    note({ outcome: 'none' })
    const project = await signInProject(services, params.projectIdOrName)
    return await oauthReply(async () => {
      const fields = singleFields(await readForm(headers, body as Readable | undefined))
      const [token, clientId] = [fields.get('token'), fields.get('client_id')]
      const missing = [...(token ? [] : ['token']), ...(clientId ? [] : ['client_id'])]
      if (!token || !clientId) throw new OAuthError('invalid_request', `Missing: ${missing.join(', ')}.`)
      const refresh = readRefreshToken(token)
      const db = services.database.forProject(project.id)
      const hashes = refresh ? { familyHash: refresh.familyHash } : { accessHash: digestOf(token) }
      const ended = await deleteSessionOfToken(db, { clientId, ...hashes })
      const actor = ended && { kind: 'consumerToken' as const, id: ended.id, name: ended.client_name }
      if (actor) note({ outcome: 'success', log: project.id, resourceId: actor.id, actor })
      return reply(200, null, noStore)
    })
  },
})
