import { NoConnector } from '@mortise/providers'
import { Type } from 'typebox'
import { createEnvelope } from '../../../../kernel/encryption/index.ts'
import { Enum, endpoint, Forbidden, maySeeSecrets, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import type { Services } from '../../../../services.ts'
import { needsRenewal, openCredential } from '../credential.ts'
import { findSealedConnection, type SealedConnectionRow } from '../credential-store.ts'
import { CredentialRefused, CredentialUnavailable } from '../live/renewal-errors.ts'
import { ConnectionNotFound, RenewalUnavailable } from '../problems.ts'
import { Connection, connectionResource } from '../resource.ts'
import { findConnection } from '../store.ts'

export const getConnection = endpoint({
  id: 'getConnection',
  method: 'GET',
  path: '/projects/{projectIdOrName}/connections/{connectionId}',
  access: 'frontend',
  summary: 'Get a connection, with its credential on request.',
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
          'Whether to renew the access token first: `force` always, `ifExpired` when it has expired. If the provider refuses, the response is the connection with `bad_credentials`.',
      }),
    ),
  }),
  reply: { 200: Connection },
  problems: [ConnectionNotFound, Forbidden, RenewalUnavailable],
  run: async (
    { db, params, query, caller, confinedTo },
    { keyring, now, liveConnections }: Pick<Services, 'keyring' | 'now' | 'liveConnections'>,
  ) => {
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
    const sealed = () => findSealedConnection(db, params.connectionId, confinedTo)
    const open = (row: SealedConnectionRow) =>
      openCredential(createEnvelope(keyring), db.projectId, row.connection_id, row.sealed)
    let row = await sealed()
    if (!row) throw new ConnectionNotFound()
    if (query.refresh === 'force' || (query.refresh === 'ifExpired' && needsRenewal(open(row), now()))) {
      await liveConnections.renew(db.projectId, row.connection_id, 'request').catch((cause: unknown) => {
        if (cause instanceof CredentialUnavailable) throw renewalUnavailable(cause, now())
        if (!(cause instanceof CredentialRefused || cause instanceof NoConnector)) throw cause
      })
      row = await sealed()
      if (!row) throw new ConnectionNotFound()
    }
    return reply(200, connectionResource(row, open(row), { apiKey: shown, accessToken: shown, refreshToken }))
  },
})

function renewalUnavailable(cause: CredentialUnavailable, now: Date): InstanceType<typeof RenewalUnavailable> {
  const { retryAfterMs } = cause
  return new RenewalUnavailable({
    cause,
    ...(retryAfterMs !== undefined && { retryAfter: new Date(now.getTime() + retryAfterMs) }),
  })
}
