import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { Outbound } from '../../../kernel/net/index.ts'
import { clientOfApp, findProviderApp } from '../../integrations/provider-apps/index.ts'
import { forgetRegistration } from '../authorization-servers/index.ts'
import { entryOfConnection, metadataValues } from '../connection-inputs/index.ts'
import type { CustomCredential, OAuth2Credential, StoredCredential } from '../credentials/index.ts'
import { mintCustomToken } from './custom/mint-custom-token.ts'
import { requestTokens } from './request-tokens.ts'
import { TokenRefused } from './token-errors.ts'
import { clientOfOwn, type TokenAnswer, type TokenClient, type TokenGrant, type TokenRequest } from './token-request.ts'

/** Columns of a connection's row that a renewal needs in addition to its credential. */
export interface RenewedConnection {
  provider: string
  /** Absent in connections that an older release detached. */
  scheme_name?: string | null
  provider_metadata: Record<string, unknown> | null
  provider_workspace_ref: string | null
  /** The provider app that the account was connected through. */
  provider_app_id: string | null
}

/** The next credential, and the account values of the token response. */
export interface Renewal {
  credential: OAuth2Credential | CustomCredential
  account: Pick<TokenAnswer, 'workspaceRef' | 'consumerRef' | 'metadata'>
}

/**
 * Gets a connection's next credential: with the refresh token if there is one, otherwise with the machine grant, or as
 * the provider's file says (custom). Takes no lock and writes nothing. The caller ensures one renewal at a time, and
 * stores a replaced refresh token before anything else happens (RFC 9700, 4.14).
 *
 * @throws TokenRefused if the credential cannot get a token (`no_client`: the project has no app of the provider;
 *   `no_refresh_token`: there is nothing to renew with; `unknown_provider`)
 * @throws TokenUnavailable if a later attempt may succeed
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
    ...(stored.server && { server: stored.server }),
  }
  const answer = await firstGranted([first, ...others], (grant) =>
    requestTokens(services, { ...request, grant }, { ...options, project: db.projectId }),
  ).catch(async (error: unknown) => {
    const isForgotten = error instanceof TokenRefused && error.error === 'invalid_client'
    // The refresh token belongs to this client, so only another authorization helps.
    if (isForgotten) await forgetRegistration(db, stored.client)
    throw error
  })
  const { accessToken, refreshToken, scopes, ...account } = answer
  return {
    credential: {
      ...stored,
      accessToken,
      // If absent, the old refresh token stays valid.
      ...(refreshToken && { refreshToken }),
      ...(scopes && { scopes }),
    },
    account,
  }
}

/** Returns the grants in the order in which to try them. */
function grantsOf({ refreshToken, grant }: OAuth2Credential): TokenGrant[] {
  const refresh: TokenGrant[] = refreshToken ? [{ kind: 'refresh', refreshToken: refreshToken.token }] : []
  // RFC 6749, 4.4.3: a client that can request another token with its own credentials needs no refresh token.
  if (grant?.kind === 'clientCredentials') return [grant]
  return grant ? [...refresh, grant] : refresh
}

/**
 * Tries the grants in order. A machine grant outlives its refresh token: if that one has expired, the grant gets the
 * next one.
 */
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
 * Returns the client of the machine grant, or the one that the tokens were issued to. Otherwise it returns the app that
 * the connection was made through, or the project's newest app of the provider.
 */
async function clientOf(
  db: ProjectDb,
  { keyring }: { keyring: Keyring },
  { provider, provider_app_id: id }: RenewedConnection,
  { grant, client }: OAuth2Credential,
): Promise<TokenClient> {
  if (client) return clientOfOwn(client)
  if (grant) return { clientId: grant.clientId, clientSecret: grant.clientSecret }
  const app = await findProviderApp(db, { id: id ?? undefined, provider })
  if (!app) throw new TokenRefused('no_client', `The project has no app of ${provider} to renew the access token with.`)
  return clientOfApp(keyring, app)
}
