import { hash, type KeyObject } from 'node:crypto'
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { Verification } from '../../catalogue/format/webhook-verification.ts'
import type { InboundRequest, Verdict } from './inbound-request.ts'

type TokenVerification = Extract<Verification, { by: 'jwt' }>

/** Longer texts are not tokens. */
const tokenCharsMax = 8 * 1024
/** Keys that are tried for a token: each costs a verification. */
const keysMax = 8

/**
 * Whether one of the keys signed a token about this very request. The algorithm is the declared one, whatever the token
 * says, so that neither `none` nor a public key as shared secret passes. A key inside the token is ignored.
 */
export async function verifyToken(
  { algorithm, bodyDigest, urlClaim, toleranceSeconds }: TokenVerification,
  request: InboundRequest,
  header: string,
  keys: readonly KeyObject[],
  now: number,
): Promise<Verdict> {
  const options = { algorithms: [algorithm], requiredClaims: ['exp'], clockTolerance: toleranceSeconds }
  const claims = await verifiedClaims(header, keys, { ...options, currentDate: new Date(now) })
  if (typeof claims === 'string') return claims
  return isOfBody(claims, bodyDigest, request) && isOfUrl(claims, urlClaim, request) ? 'genuine' : 'forged'
}

/**
 * Whether one of the keys signed an OpenID Connect token for this URL, and of the account that sends the requests.
 * Anybody can have a token of the issuer for any URL, so only the account tells its requests from others.
 *
 * @param emails addresses of the accounts that may send requests
 */
export async function verifyIdToken(
  { issuers, toleranceSeconds }: Extract<Verification, { by: 'oidc' }>,
  request: InboundRequest,
  header: string,
  keys: readonly KeyObject[],
  { now, emails }: { now: number; emails: readonly string[] },
): Promise<Verdict> {
  const claims = await verifiedClaims(header, keys, {
    algorithms: ['RS256'],
    issuer: issuers,
    requiredClaims: ['exp', 'aud', 'email'],
    clockTolerance: toleranceSeconds,
    currentDate: new Date(now),
  })
  if (typeof claims === 'string') return claims
  const { email } = claims
  const isSender = claims['email_verified'] === true && typeof email === 'string' && emails.includes(email)
  return isSender && isOfUrl(claims, 'aud', request) ? 'genuine' : 'forged'
}

/** Returns the claims of a token that one of the keys signed, or why there are none. */
async function verifiedClaims(
  header: string,
  keys: readonly KeyObject[],
  options: JWTVerifyOptions,
): Promise<JWTPayload | 'forged' | 'stale'> {
  const token = header.replace(/^bearer +/i, '')
  if (token.length > tokenCharsMax) return 'forged'
  for (const key of keys.slice(0, keysMax)) {
    try {
      return (await jwtVerify(token, key, options)).payload
    } catch (error) {
      // Claims are checked after the signature.
      if (error instanceof errors.JWTExpired) return 'stale'
      if (!(error instanceof errors.JOSEError)) throw error
    }
  }
  return 'forged'
}

function isOfBody(
  payload: JWTPayload,
  { claim, algorithm, encoding }: TokenVerification['bodyDigest'],
  { body }: InboundRequest,
): boolean {
  const claimValue = payload[claim]
  if (typeof claimValue !== 'string') return false
  return (encoding === 'hex' ? claimValue.toLowerCase() : claimValue) === hash(algorithm, body, encoding)
}

function isOfUrl(payload: JWTPayload, claim: string | undefined, { url }: InboundRequest): boolean {
  if (claim === undefined) return true
  const claimValue = payload[claim]
  const parsed = typeof claimValue === 'string' ? URL.parse(claimValue) : null
  return parsed !== null && parsed.href === URL.parse(url)?.href
}
