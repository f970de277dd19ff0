import * as oidc from 'openid-client'
import type { Config } from '../../../config.ts'
import { type Outbound, OutboundError } from '../../../kernel/net/index.ts'
import { clockToleranceSeconds, createVerifyIdToken, type VerifyIdToken } from './id-token.ts'

/** A provider of identities that people of the operator's organisation sign in with. */
export interface SingleSignOn {
  /** As people know it. */
  name: string
  /** Where to send the browser. Fails when the provider cannot be reached. */
  begin(flow: { state: string; nonce: string; verifier: string }): Promise<URL>
  /** Who came back, by the query that they came back with. Fails when anything about it is not as it must be. */
  finish(query: string, flow: { state: string; nonce: string; verifier: string }): Promise<VouchedPerson>
}

/** A person as a provider of identities describes them. */
export interface VouchedPerson {
  issuer: string
  /** What the provider calls them, for ever. */
  subject: string
  email: string | undefined
  /** The provider says that the address is theirs. */
  emailVerified: boolean
  firstName: string | undefined
  lastName: string | undefined
  fullName: string | undefined
}

/** Where the provider of identities sends the browser back to; registered with it. */
export const callbackPath = '/signin/oidc/callback'

/** Of one exchange with the provider: discovery, tokens, keys, user info. */
const timeoutMs = 10_000
const answerBytesMax = 1024 * 1024
/** How long what the provider says of itself is believed. */
const discoveryMs = 3_600_000

/**
 * Single sign-on by OpenID Connect: code flow with PKCE, state and nonce (OpenID Connect Core 1.0, 3.1; RFC 9700). The
 * provider is asked when somebody signs in, never at the start. Undefined when none is configured.
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

  /** Never an answer of one that failed: the next person asks anew. */
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
        // The address guard decides where plain http may be spoken: inside the private networks that the operator
        // opened.
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
      const told =
        identity['email'] === undefined && provider.serverMetadata().userinfo_endpoint !== undefined
          ? await oidc.fetchUserInfo(provider, answer.access_token, identity.sub)
          : {}
      return personOf({ ...told, ...identity })
    },
  }
}

/** What the provider says of itself, and how its tokens are verified. */
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

/** The library's way out: through the address guard, with a deadline and a limit. */
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
