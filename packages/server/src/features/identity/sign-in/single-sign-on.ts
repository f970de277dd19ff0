import * as oidc from 'openid-client'
import type { Config } from '../../../config.ts'
import { type Outbound, OutboundError } from '../../../kernel/net/index.ts'
import { clockToleranceSeconds, createVerifyIdToken, type VerifyIdToken } from './id-token.ts'

/** An identity provider with which the people of the operator's organization sign in. */
export interface SingleSignOn {
  /** Display name of the provider. */
  name: string
  /** Returns the URL to redirect the browser to. Fails if the provider cannot be reached. */
  begin(flow: { state: string; nonce: string; verifier: string }): Promise<URL>
  /**
   * Returns the person who signed in, from the query of the callback. Fails if anything about the response is not
   * valid.
   */
  finish(query: string, flow: { state: string; nonce: string; verifier: string }): Promise<VouchedPerson>
}

/** A person as an identity provider describes them. */
export interface VouchedPerson {
  issuer: string
  /** The provider's permanent id of the person. */
  subject: string
  email: string | undefined
  /** Whether the provider says that it has verified the address. */
  emailVerified: boolean
  firstName: string | undefined
  lastName: string | undefined
  fullName: string | undefined
}

/** Path that the identity provider redirects the browser to; registered with the provider. */
export const callbackPath = '/signin/oidc/callback'

/** Timeout of each request to the provider: discovery, tokens, keys, user info. */
const timeoutMs = 10_000
const answerBytesMax = 1024 * 1024
/** How long the provider's metadata is cached. */
const discoveryMs = 3_600_000

/**
 * Creates single sign-on by OpenID Connect: code flow with PKCE, state and nonce (OpenID Connect Core 1.0, 3.1; RFC
 * 9700). The first sign-in contacts the provider, never the start of the service. Returns undefined if no provider is
 * configured.
 */
export function createSingleSignOn({
  config,
  outbound,
  publicUrl,
  now,
}: {
  config: Pick<Config, 'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'oidcName'>
  outbound: Outbound
  publicUrl: string
  now: () => Date
}): SingleSignOn | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config
  if (issuer === undefined || clientId === undefined) return undefined
  const fetch = guardedFetch(outbound)
  const redirectUri = `${publicUrl}${callbackPath}`
  let known: { at: number; provider: Promise<Discovered> } | undefined

  /** Caches only successful discoveries: after a failure, the next sign-in tries again. */
  const discovered = async (): Promise<Discovered> => {
    const at = now().getTime()
    if (known && at >= known.at && at - known.at < discoveryMs) return await known.provider
    const discovery = oidc.discovery(
      new URL(issuer),
      clientId,
      { [oidc.clockTolerance]: clockToleranceSeconds },
      clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret),
      {
        [oidc.customFetch]: fetch,
        timeout: timeoutMs / 1000,
        // The address guard restricts plain HTTP to the private networks that the operator opened.
        ...(issuer.startsWith('http:') && { execute: [oidc.allowInsecureRequests] }),
      },
    )
    const provider = discovery.then((configuration) => ({
      configuration,
      verifyIdToken: createVerifyIdToken({
        issuer: configuration.serverMetadata().issuer,
        clientId,
        jwksUri: configuration.serverMetadata().jwks_uri,
        fetch: (url, { headers, ...options }) =>
          fetch(url, { ...options, headers: Object.fromEntries(headers), body: undefined }),
        timeoutMs,
        now,
      }),
    }))
    const attempt = { at, provider }
    known = attempt
    provider.catch(() => {
      if (known === attempt) known = undefined
    })
    return await provider
  }

  return {
    name: config.oidcName,
    async begin({ state, nonce, verifier }) {
      return oidc.buildAuthorizationUrl((await discovered()).configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
    },
    async finish(query, { state, nonce, verifier }) {
      const { configuration: provider, verifyIdToken } = await discovered()
      const answer = await oidc.authorizationCodeGrant(provider, new URL(`${redirectUri}${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const identity = answer.claims()
      if (!identity || answer.id_token === undefined) throw new Error('the provider sent no ID token')
      await verifyIdToken(answer.id_token)
      const userInfo =
        identity['email'] === undefined && provider.serverMetadata().userinfo_endpoint !== undefined
          ? await oidc.fetchUserInfo(provider, answer.access_token, identity.sub)
          : {}
      return personOf({ ...userInfo, ...identity })
    },
  }
}

/** The provider's metadata, and the verification of its ID tokens. */
interface Discovered {
  configuration: oidc.Configuration
  verifyIdToken: VerifyIdToken
}

function personOf(claims: Record<string, unknown> & { iss: string; sub: string }): VouchedPerson {
  const text = (name: string) => {
    const value = claims[name]
    return typeof value === 'string' && value !== '' && !value.includes('\0') ? value.slice(0, 200) : undefined
  }
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: text('email'),
    emailVerified: claims['email_verified'] === true,
    firstName: text('given_name'),
    lastName: text('family_name'),
    fullName: text('name'),
  }
}

/** Adapts outbound requests for the library: through the address guard, with a deadline and a size limit. */
function guardedFetch(outbound: Outbound): oidc.CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    if (body !== undefined && body !== null && typeof body !== 'string' && !(body instanceof URLSearchParams))
      throw new OutboundError('protocol', 'A request to the provider of identities has a body of another kind.')
    const answer = await outbound.request({
      method,
      url,
      headers,
      ...(body !== undefined && body !== null && { body: body.toString() }),
      timeoutMs,
      maxBytes: answerBytesMax,
      ...(signal && { signal }),
    })
    const empty = [101, 204, 205, 304].includes(answer.status)
    return new Response(empty ? null : new Uint8Array(answer.body), { status: answer.status, headers: answer.headers })
  }
}
