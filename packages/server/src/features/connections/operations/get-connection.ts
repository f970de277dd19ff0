import { Type } from 'typebox'
import { Enum, Forbidden, operation, Path, Ref, reply } from '../../../kernel/http/index.ts'
import { createEnvelope } from '../../../kernel/seal/index.ts'
import type { Services } from '../../../services.ts'
import { openCredential } from '../credential.ts'
import { findSealedConnection } from '../credential-store.ts'
import { ConnectionNotFound } from '../problems.ts'
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
        description: 'With the API key, or the access token and its scopes. Needs an API key of scope `full`.',
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
        description: 'Whether to renew an access token first; tokens that were imported are not renewed yet.',
      }),
    ),
  }),
  reply: { 200: Connection },
  problems: [ConnectionNotFound, Forbidden],
  run: async ({ db, params, query, caller }, { keyring }: Pick<Services, 'keyring'>) => {
    const refreshToken = query.includeRefreshToken === true
    const credentials = refreshToken || query.includeCreds === true
    if (!credentials) {
      const row = await findConnection(db, params.connectionId)
      if (!row) throw new ConnectionNotFound()
      return reply(200, connectionResource(row))
    }
    if (caller.scope !== 'full')
      throw new Forbidden({ detail: 'Credentials of connections are shown to API keys of scope `full` alone.' })
    const row = await findSealedConnection(db, params.connectionId)
    if (!row) throw new ConnectionNotFound()
    const credential = openCredential(createEnvelope(keyring), db.projectId, row.connection_id, row.sealed)
    return reply(200, connectionResource(row, credential, { apiKey: true, accessToken: true, refreshToken }))
  },
})
