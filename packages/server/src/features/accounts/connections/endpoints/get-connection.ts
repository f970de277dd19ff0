import type { Catalogue } from '@mortise/providers'
import { Type } from 'typebox'
import { createEnvelope, type Keyring } from '../../../../kernel/encryption/index.ts'
import {
  assertRole,
  Enum,
  endpoint,
  Forbidden,
  maySeeSecrets,
  Path,
  type Problem,
  Ref,
  reply,
} from '../../../../kernel/http/index.ts'
import { type ConnectionHandles, classifyFailure, type ProviderFailure } from '../../../provider-calls/calls/index.ts'
import { needsRenewal, openCredential } from '../../credentials/index.ts'
import { type EncryptedConnectionRow, findEncryptedConnection } from '../encrypted-connection.ts'
import { missingScopes, scopesOnDemandFor } from '../missing-scopes.ts'
import { ConnectionNotFound, RenewalUnavailable } from '../problems.ts'
import { Connection, connectionResource } from '../resource.ts'
import { findConnection } from '../store.ts'
import { tokenInfoOf } from '../token-info.ts'

export const getConnection = endpoint({
  id: 'getConnection',
  method: 'GET',
  path: '/projects/{projectIdOrName}/connections/{connectionId}',
  access: 'frontendView',
  summary: 'Get a connection, with its credential on request.',
  tag: 'Connections',
  params: Path({ projectIdOrName: Ref, connectionId: Ref }),
  query: Type.Object({
    includeCreds: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'With the API key, or the access token and its scopes. Needs an API key of scope `full`, or a person with the role `developer`.',
      }),
    ),
    includeRefreshToken: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'With the refresh token too; includes what `includeCreds` does.',
      }),
    ),
    includeTokenInfo: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'With the times and scopes of the OAuth access token, without the token.',
      }),
    ),
    refresh: Type.Optional(
      Enum(['force', 'ifExpired'], {
        description:
          'Whether to renew the access token first: `force` always, `ifExpired` when it has expired. If the provider refuses, the response is the connection with `bad_credentials`. People need the role `operator`.',
      }),
    ),
  }),
  reply: { 200: Connection },
  problems: [ConnectionNotFound, Forbidden, RenewalUnavailable],
  run: async (
    { db, params, query, caller, confinedTo },
    {
      keyring,
      now,
      connectionHandles,
      catalogue,
    }: { keyring: Keyring; now: () => Date; connectionHandles: ConnectionHandles; catalogue: Catalogue },
  ) => {
    const refreshToken = query.includeRefreshToken === true
    const shown = refreshToken || query.includeCreds === true
    if (shown) assertRole(caller, 'developer', 'Showing the credential of a connection')
    if (query.refresh !== undefined) assertRole(caller, 'operator', 'Renewing the token of a connection')
    if (shown && !maySeeSecrets(caller))
      throw new Forbidden({
        detail: 'Credentials of connections are shown to API keys of scope `full` and to developers alone.',
      })
    if (!shown && !query.includeTokenInfo && query.refresh === undefined) {
      const row = await findConnection(db, params.connectionId, confinedTo)
      if (!row) throw new ConnectionNotFound()
      return reply(200, connectionResource(row))
    }
    const encrypted = () => findEncryptedConnection(db, params.connectionId, confinedTo)
    const open = (row: EncryptedConnectionRow) =>
      openCredential(createEnvelope(keyring), db.projectId, row.connection_id, row.encrypted)
    let row = await encrypted()
    if (!row) throw new ConnectionNotFound()
    if (query.refresh === 'force' || (query.refresh === 'ifExpired' && needsRenewal(open(row), now()))) {
      await connectionHandles.renew(db.projectId, row.connection_id, 'request').catch((cause: unknown) => {
        const failure = classifyFailure(cause)
        if (failure.kind === 'credential_unavailable') throw renewalUnavailable(failure, now())
        if (failure.kind !== 'credential_refused' && failure.kind !== 'no_connector') throw cause
      })
      row = await encrypted()
      if (!row) throw new ConnectionNotFound()
    }
    const credential = open(row)
    const found = row
    const tokenInfo = query.includeTokenInfo
      ? await tokenInfoOf(credential, async (granted) =>
          missingScopes(catalogue, found, granted, await scopesOnDemandFor(db, catalogue, found)),
        )
      : undefined
    return reply(200, {
      ...connectionResource(row, credential, { apiKey: shown, accessToken: shown, refreshToken }),
      ...(tokenInfo && { tokenInfo }),
    })
  },
})

function renewalUnavailable({ error, retryAfterMs }: ProviderFailure, now: Date): Problem {
  return new RenewalUnavailable({
    cause: error,
    ...(retryAfterMs !== undefined && { retryAfter: new Date(now.getTime() + retryAfterMs) }),
  })
}
