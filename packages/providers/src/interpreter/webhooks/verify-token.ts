import { hash, type KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify } from 'jose'
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
  const token = header.replace(/^bearer +/i, '')
  if (token.length > tokenCharsMax) return 'forged'
  const options = {
    algorithms: [algorithm],
    requiredClaims: ['exp'],
    clockTolerance: toleranceSeconds,
    currentDate: new Date(now),
  }
  for (const key of keys.slice(0, keysMax)) {
    try {
      const { payload } = await jwtVerify(token, key, options)
      return isOfBody(payload, bodyDigest, request) && isOfUrl(payload, urlClaim, request) ? 'genuine' : 'forged'
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
