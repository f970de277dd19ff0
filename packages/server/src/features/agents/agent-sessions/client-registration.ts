import { Type } from 'typebox'
import type { Database, NewId } from '../../../kernel/db/index.ts'
import { type Issue, named, readJson, reply } from '../../../kernel/http/index.ts'
import { clientMetadata, metadataIssues, redirectIssues } from './client-metadata.ts'
import { insertAgentClient } from './client-store.ts'
import { noStore, OAuthError, OAuthErrorBody, oauthReply } from './oauth-error.ts'
import { TooManyAgentClients } from './problems.ts'
import { daySeconds, later } from './secrets.ts'
import type { TokenIssuer } from './token-issuer.ts'

const texts = (description: string) => Type.Array(Type.String(), { description })

const RegisteredClient = named(
  'RegisteredAgentClient',
  Type.Object(
    {
      client_id: Type.String({ description: 'Id of the client.' }),
      client_id_issued_at: Type.Integer({ description: 'When it registered, in seconds since 1970.' }),
      client_name: Type.String({ description: 'What people see.' }),
      redirect_uris: texts('Where browsers may go at the end of a sign-in.'),
      token_endpoint_auth_method: Type.String({ description: 'Always `none`: clients are public.' }),
      grant_types: texts('Grants.'),
      response_types: texts('Types of responses.'),
      scope: Type.String({ description: 'Scopes of its tokens.' }),
    },
    { description: 'A registered client (RFC 7591).' },
  ),
)

/** What registration endpoints have in common. */
export const registration = {
  method: 'POST',
  access: 'public',
  description:
    'For public clients. A registration that nobody signs in with expires after a day. Clients with a metadata document need none.',
  tag: 'Agent sign-in',
  extension: true,
  audit: { exempt: 'a registration can do nothing until a person signs in' },
  rateScope: 'endpoint',
  accepts: 'bytes',
  bodyBytesMax: 16_384,
  reply: { 201: RegisteredClient, 400: OAuthErrorBody },
} as const

/** Answers a registration (RFC 7591, 3). @throws TooManyAgentClients */
export async function registerClient(
  { database, newId, now: clock }: { database: Database; newId: NewId; now: () => Date },
  issuer: TokenIssuer,
  body: unknown,
) {
  return await oauthReply(async () => {
    const metadata = readMetadata((body as Buffer | undefined) ?? Buffer.alloc(0))
    const now = clock()
    const client = await insertAgentClient(database.forProject(issuer.projectId), {
      id: newId(),
      ...clientMetadata(metadata),
      now,
      expireTime: later(now, daySeconds),
    })
    if (!client) throw new TooManyAgentClients({ retryAfter: later(now, 60) })
    return reply(
      201,
      {
        client_id: client.id,
        client_id_issued_at: Math.floor(client.create_time.getTime() / 1_000),
        client_name: client.name,
        redirect_uris: client.redirect_uris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        scope: issuer.scopes.join(' '),
      },
      noStore,
    )
  }, 'invalid_client_metadata')
}

/** @throws OAuthError with all that is wrong */
function readMetadata(body: Buffer): Record<string, unknown> {
  const problems: Issue[] = []
  const value = readJson(body, problems)
  if (problems.length > 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    throw new OAuthError('invalid_client_metadata', 'The body must be a JSON object without repeated names.')
  const metadata = value as Record<string, unknown>
  const issues = metadataIssues(metadata)
  if (issues.length === 0) return metadata
  const code = redirectIssues(metadata['redirect_uris']).length > 0 ? 'invalid_redirect_uri' : 'invalid_client_metadata'
  throw new OAuthError(code, issues.join(' '))
}
