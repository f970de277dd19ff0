import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import { clientOfApp, findProviderApp } from '../../integrations/provider-apps/index.ts'
import { entryOfConnection, metadataValues } from '../connection-inputs/index.ts'
import type { CustomCredential, OAuth2Credential, StoredCredential } from '../credentials/index.ts'
import { mintCustomToken } from './custom/mint-custom-token.ts'
import { requestTokens } from './request-tokens.ts'
import { TokenRefused } from './token-errors.ts'
import type { TokenAnswer, TokenClient, TokenGrant, TokenRequest } from './token-request.ts'

/** What a renewal has to know of a connection besides its credential: columns of its row. */
export interface RenewedConnection {
  provider: string
  /** Absent in what an older release kept. */
  scheme_name?: string | null
  provider_metadata: Record<string, unknown> | null
  provider_workspace_ref: string | null
  /** The app that it was connected through. */
  provider_app_id: string | null
}

/** The next credential, and what else the token endpoint told of the account. */
export interface Renewal {
  credential: OAuth2Credential | CustomCredential
  account: Pick<TokenAnswer, 'workspaceRef' | 'consumerRef' | 'metadata'>
}

/**
 * Gets a connection's next credential from its present one: with the refresh token where there is one, else with the
 * grant that the connection brought, or as the provider's file says (custom). Holds no lock and writes nothing; one
 * renewal at a time is the caller's to ensure, and a refresh token that was replaced must be stored before anything
 * else happens (RFC 9700, 4.14).
 *
 * @throws TokenRefused when no token can be had with it (`no_client`: the project has no app of the provider;
 *   `no_refresh_token`: there is nothing to renew with; `unknown_provider`); TokenUnavailable when asking again later
 *   may succeed
 */
export async function renewedCredential(
  db: ProjectDb,
  services: { outbound: Outbound; now: () => Date; keyring: Keyring; catalogue: Catalogue },
  connection: RenewedConnection,
  stored: StoredCredential,
  options: { signal?: AbortSignal } = {},
): Promise<Renewal> {
  const entry = entryOfConnection(services.catalogue, connection)
  if (!entry) throw new TokenRefused('unknown_provider', `The catalog does not contain ${connection.provider}.`)
  if (stored.scheme === 'custom' && stored.token !== undefined) {
    const account = {
      entry,
      metadata: metadataValues(connection.provider_metadata),
      workspaceRef: connection.provider_workspace_ref ?? undefined,
      providerAppId: connection.provider_app_id ?? undefined,
    }
    return { credential: await mintCustomToken(db, services, account, stored, options), account: { metadata: {} } }
  }
  if (stored.scheme !== 'oauth2') throw new TokenRefused('no_refresh_token', 'The credential has no tokens.')
  const [first, ...others] = grantsOf(stored)
  if (!first) throw new TokenRefused('no_refresh_token', 'The connection has nothing to renew its access token with.')
  const request: Omit<TokenRequest, 'grant'> = {
    entry,
    metadata: metadataValues(connection.provider_metadata),
    ...(connection.provider_workspace_ref !== null && { workspaceRef: connection.provider_workspace_ref }),
    client: await clientOf(db, services, connection, stored),
  }
  const answer = await firstGranted([first, ...others], (grant) =>
    requestTokens(services, { ...request, grant }, { ...options, project: db.projectId }),
  )
  const { accessToken, refreshToken, scopes, ...account } = answer
  return {
    credential: {
      ...stored,
      accessToken,
      // Absent: the old one stays good.
      ...(refreshToken && { refreshToken }),
      ...(scopes && { scopes }),
    },
    account,
  }
}

/** In the order in which they are tried. */
function grantsOf({ refreshToken, grant }: OAuth2Credential): TokenGrant[] {
  const refresh: TokenGrant[] = refreshToken ? [{ kind: 'refresh', refreshToken: refreshToken.token }] : []
  // RFC 6749, 4.4.3: a client that can ask anew by itself needs no refresh token.
  if (grant?.kind === 'clientCredentials') return [grant]
  return grant ? [...refresh, grant] : refresh
}

/** A grant of the connection's own outlives its refresh token: where that has ended, the grant gets the next one. */
async function firstGranted(
  [grant, ...others]: [TokenGrant, ...TokenGrant[]],
  ask: (grant: TokenGrant) => Promise<TokenAnswer>,
): Promise<TokenAnswer> {
  try {
    return await ask(grant)
  } catch (error) {
    const [next, ...rest] = others
    if (!next || !(error instanceof TokenRefused) || error.error !== 'invalid_grant') throw error
    return firstGranted([next, ...rest], ask)
  }
}

/**
 * The connection's own client, else the app that it was made through, else the project's newest app of the provider.
 */
async function clientOf(
  db: ProjectDb,
  { keyring }: { keyring: Keyring },
  { provider, provider_app_id: id }: RenewedConnection,
  { grant }: OAuth2Credential,
): Promise<TokenClient> {
  if (grant) return { clientId: grant.clientId, clientSecret: grant.clientSecret }
  const app = await findProviderApp(db, { id: id ?? undefined, provider })
  if (!app) throw new TokenRefused('no_client', `The project has no app of ${provider} to renew the access token with.`)
  return clientOfApp(keyring, app)
}
