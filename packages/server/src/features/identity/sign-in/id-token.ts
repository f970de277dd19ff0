import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'

/** Tolerated difference between the clocks of the provider and this service. */
export const clockToleranceSeconds = 60
/** How long keys are cached. An unknown key id fetches them immediately. */
const keysMs = 600_000

/**
 * Asymmetric algorithms only: `none` proves nothing, and with HMAC the public key or the client secret would be the
 * signing key.
 */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/**
 * Verifies the signature and the issue time of an ID token (OpenID Connect Core 1.0, 3.1.3.7, steps 6 to 10). The code
 * flow may rely on TLS instead. Providers in private networks may use plain HTTP, so the signature is always verified.
 */
export type VerifyIdToken = (idToken: string) => Promise<void>

export function createVerifyIdToken({
  issuer,
  clientId,
  jwksUri,
  fetch,
  timeoutMs,
  now,
}: {
  issuer: string
  clientId: string
  /** `jwks_uri` of the provider's metadata. */
  jwksUri: string | undefined
  fetch: FetchImplementation
  timeoutMs: number
  now: () => Date
}): VerifyIdToken {
  if (jwksUri === undefined) throw new Error('the metadata of the provider has no jwks_uri')
  const url = new URL(jwksUri)
  if (url.protocol !== 'https:' && !issuer.startsWith('http:'))
    throw new Error('the keys of the provider must be fetched over https')
  // No cooldown between fetches: only a token that the provider itself has just issued causes one.
  const keys = createRemoteJWKSet(url, {
    [customFetch]: fetch,
    timeoutDuration: timeoutMs,
    cooldownDuration: 0,
    cacheMaxAge: keysMs,
  })
  return async (idToken) => {
    const currentDate = now()
    const options: JWTVerifyOptions = {
      algorithms,
      issuer,
      audience: clientId,
      clockTolerance: clockToleranceSeconds,
      currentDate,
      requiredClaims: ['exp', 'iat', 'sub'],
    }
    const { payload } = await verifyWithAny(idToken, keys, options)
    if ((payload.iat ?? Number.POSITIVE_INFINITY) * 1_000 > currentDate.getTime() + clockToleranceSeconds * 1_000)
      throw new Error('the ID token was issued in the future')
  }
}

/** Verifies a token with any matching key. A provider whose keys have no ids may publish several that match. */
async function verifyWithAny(
  idToken: string,
  keys: ReturnType<typeof createRemoteJWKSet>,
  options: JWTVerifyOptions,
): ReturnType<typeof jwtVerify> {
  try {
    return await jwtVerify(idToken, keys, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return await jwtVerify(idToken, key, options)
      } catch (refusal) {
        if (!(refusal instanceof errors.JWSSignatureVerificationFailed)) throw refusal
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}
