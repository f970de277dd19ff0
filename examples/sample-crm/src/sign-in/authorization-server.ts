import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Provider from 'oidc-provider'
import { type Application, type AuthorizationServer, scopeNames } from './access.ts'
import { createInteractions } from './interactions.ts'
import { createMemoryStore } from './memory-adapter.ts'
import { type Person, people as samplePeople } from './people.ts'

export type { Application, AuthorizationServer } from './access.ts'

export interface AuthorizationServerOptions {
  readonly applications: readonly Application[]
  /** Who can sign in; two sample people unless set. */
  readonly people?: readonly Person[]
  /** Seconds that access tokens are valid; 600 unless set. */
  readonly accessTokenSeconds?: number
  readonly clock?: () => number
}

const day = 86_400
const mount = '/oauth'

/**
 * Makes an OAuth 2.0 authorization server for the sample CRM, for `startSampleCrm({ authorization })`. It is npm's
 * `oidc-provider`, which is certified: authorization code with PKCE, refresh tokens that are good once, revocation.
 */
export function createAuthorizationServer(options: AuthorizationServerOptions) {
  return (origin: string): AuthorizationServer => {
    const { people = samplePeople, clock = Date.now } = options
    const store = createMemoryStore(clock)
    const provider = newProvider(origin, options, people, store.adapter)
    const callback = provider.callback()
    const interactions = createInteractions(provider, people, options.applications)

    return {
      async handle(request: IncomingMessage, response: ServerResponse) {
        const [path = ''] = (request.url ?? '').split('?', 1)
        if (path.startsWith(`${mount}/interaction/`)) return interactions(request, response)
        // oidc-provider finds out from `originalUrl` that it is mounted below a path.
        Object.assign(request, { originalUrl: request.url, url: (request.url ?? '').slice(mount.length) })
        await callback(request, response)
      },
      async findAccess(value) {
        const token = await provider.AccessToken.find(value)
        return token?.isValid ? { person: token.accountId, scopes: [...token.scopes] } : undefined
      },
      grants: () =>
        store
          .list('Grant')
          .map((grant) => ({
            id: String(grant.jti),
            application: options.applications.find(({ clientId }) => clientId === grant.clientId)?.name ?? '',
            person: String(grant.accountId),
            scopes: grantedScope(grant).split(' '),
            time: new Date((grant.iat ?? 0) * 1_000),
          }))
          .toReversed(),
      async revoke(grantId) {
        store.deleteWhere((model, { grantId: id, jti }) => id === grantId || (model === 'Grant' && jti === grantId))
      },
      async expireTokens() {
        store.deleteWhere((model) => model === 'AccessToken')
      },
    }
  }
}

function grantedScope(grant: object): string {
  const openid = 'openid' in grant ? grant.openid : undefined
  return openid !== null && typeof openid === 'object' && 'scope' in openid ? String(openid.scope) : ''
}

function newProvider(
  origin: string,
  { applications, accessTokenSeconds = 600 }: AuthorizationServerOptions,
  people: readonly Person[],
  adapter: ReturnType<typeof createMemoryStore>['adapter'],
): Provider {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return new Provider(`${origin}${mount}`, {
    adapter,
    clients: applications.map(({ clientId, clientSecret, name, redirectUris }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      client_name: name,
      redirect_uris: [...redirectUris],
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: 'ES256',
    })),
    scopes: Object.keys(scopeNames),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    interactions: { url: (_, { uid }) => `${mount}/interaction/${uid}` },
    // Mortise sends S256 for every provider.
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: 60,
      Grant: 365 * day,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: 30 * day,
      Session: 600,
    },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    findAccount: (_, id) =>
      people.some(({ email }) => email === id) ? { accountId: id, claims: () => ({ sub: id }) } : undefined,
  })
}
