import { Type } from 'typebox'
import { Enum, Forbidden, maySeeSecrets, operation, Path, Ref, reply } from '../../../kernel/http/index.ts'
import { createEnvelope } from '../../../kernel/seal/index.ts'
import type { Services } from '../../../services.ts'
import { needsRenewal, openCredential, type StoredCredential } from '../credential.ts'
import { findSealedConnection } from '../credential-store.ts'
import { ConnectionNotFound, CredentialNotImplemented } from '../problems.ts'
import { Connection, connectionResource } from '../resource.ts'
import { findConnection } from '../store.ts'

export const getConnection = operation({
  id: 'getConnection',
  method: 'GET',
  path: '/projects/{projectIdOrName}/connections/{connectionId}',
  access: 'frontend',
  summary: 'Get a connection; with its credential when that is asked for.',
  tag: 'Connections',
  params: Path({ projectIdOrName: Ref, connectionId: Ref }),
  query: Type.Object({
    includeCreds: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'With the API key, or the access token and its scopes. Needs an API key of scope `full` or a builder.',
      }),
    ),
    includeRefreshToken: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'With the refresh token too; includes what `includeCreds` does.',
      }),
    ),
    refresh: Type.Optional(
      Enum(['force', 'ifExpired'], {
        description:
          'Whether to renew an access token first. This release renews none: where one would have to be, the answer is 501.',
      }),
    ),
  }),
  reply: { 200: Connection },
  problems: [ConnectionNotFound, Forbidden, CredentialNotImplemented],
  run: async ({ db, params, query, caller, confinedTo }, { keyring, now }: Pick<Services, 'keyring' | 'now'>) => {
    const refreshToken = query.includeRefreshToken === true
    const shown = refreshToken || query.includeCreds === true
    if (shown && !maySeeSecrets(caller))
      throw new Forbidden({
        detail: 'Credentials of connections are shown to API keys of scope `full` and to builders alone.',
      })
    if (!shown && query.refresh === undefined) {
      const row = await findConnection(db, params.connectionId, confinedTo)
      if (!row) throw new ConnectionNotFound()
      return reply(200, connectionResource(row))
    }
    const row = await findSealedConnection(db, params.connectionId, confinedTo)
    if (!row) throw new ConnectionNotFound()
    const credential = openCredential(createEnvelope(keyring), db.projectId, row.connection_id, row.sealed)
    if (query.refresh !== undefined && wantsRenewal(credential, query.refresh, now()))
      throw new CredentialNotImplemented({
        detail: 'The access token of this connection would have to be renewed, and this release does not renew tokens.',
        remedy: 'Import a new access token with connections:generate, or leave out `refresh`.',
      })
    return reply(200, connectionResource(row, credential, { apiKey: shown, accessToken: shown, refreshToken }))
  },
})

/** Credentials without tokens have nothing to renew. */
function wantsRenewal(credential: StoredCredential, refresh: 'force' | 'ifExpired', now: Date): boolean {
  return refresh === 'force' ? credential.scheme === 'oauth2' : needsRenewal(credential, now)
}
