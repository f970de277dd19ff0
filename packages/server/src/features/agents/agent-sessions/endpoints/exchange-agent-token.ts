import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { endpoint, NotFound, named, ProjectPath, readForm, reply, secret } from '../../../../kernel/http/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { grantTokens } from '../grant-tokens.ts'
import { scope } from '../metadata.ts'
import { noStore, OAuthErrorBody, oauthReply, singleFields } from '../oauth-error.ts'
import { accessSeconds } from '../secrets.ts'
import { signInProject } from '../sign-in-project.ts'

const Tokens = named(
  'AgentTokens',
  Type.Object(
    {
      access_token: secret(Type.String({ description: 'For the MCP server of the project only.' })),
      token_type: Type.String({ description: '`Bearer`.' }),
      expires_in: Type.Integer({ description: 'Seconds.' }),
      refresh_token: secret(Type.String({ description: 'For new tokens, once.' })),
      scope: Type.String({ description: 'Scope of the token.' }),
    },
    { description: 'Tokens of an agent session (RFC 6749, 5.1).' },
  ),
)

export const exchangeAgentToken = endpoint({
  id: 'exchangeAgentToken',
  method: 'POST',
  path: '//mcp/v1/projects/{projectIdOrName}/oauth/token',
  access: 'public',
  summary: 'Token endpoint (RFC 6749): exchange a code or a refresh token.',
  description:
    'A form with `grant_type`, `client_id`, `resource`, and `code` with `code_verifier` and `redirect_uri`, or `refresh_token`. A code or a refresh token that is used twice ends the session.',
  tag: 'Agent sign-in',
  extension: true,
  audit: { verb: 'create', resource: 'agent-session', isOfCustomer: true },
  rateScope: 'endpoint',
  params: ProjectPath,
  accepts: 'binary',
  bodyBytesMax: 16_384,
  reply: { 200: Tokens, 400: OAuthErrorBody },
  problems: [NotFound],
  run: async (
    { params, headers, body, note },
    services: { database: Database; newId: NewId; now: () => Date; publicUrl: string; log: Logger },
  ) => {
    note({ outcome: 'none' })
    const project = await signInProject(services, params.projectIdOrName)
    return await oauthReply(async () => {
      const fields = singleFields(await readForm(headers, body as Readable | undefined))
      const { sessionId, clientName, isNew, accessToken, refreshToken } = await grantTokens(services, project, fields)
      const actor = { kind: 'consumerToken' as const, id: sessionId, name: clientName }
      if (isNew) note({ outcome: 'success', log: project.id, resourceId: sessionId, actor })
      const tokens = { access_token: accessToken, token_type: 'Bearer', expires_in: accessSeconds }
      return reply(200, { ...tokens, refresh_token: refreshToken, scope }, noStore)
    })
  },
})
