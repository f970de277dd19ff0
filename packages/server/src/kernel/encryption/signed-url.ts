import { createHmac } from 'node:crypto'
import { decodeCanonical } from './canonical-base64.ts'
import { isSameBytes } from './same-bytes.ts'

/** Claims of a signed URL in addition to its path. Everybody who has the URL can read them. */
export type UrlClaims = Readonly<Record<string, string>>

/** Why a signed URL is not accepted. */
export type SignedUrlRefusal = 'malformed' | 'bad_signature' | 'expired'

export type VerifiedUrl = { ok: true; claims: UrlClaims; expiresAt: Date } | { ok: false; refusal: SignedUrlRefusal }

/**
 * Signs a URL that grants access until it expires: `<base><path>?expires=…&claims=…&signature=…`, where `expires` is in
 * Unix seconds and `signature` is the HMAC-SHA-256 over path, expiry and claims.
 *
 * @param options.key `keyring.derive('signed-url')`
 * @param options.baseUrl public address of the service, with the prefix under which a proxy serves it; not signed
 * @param options.path path as the service will see it, beginning with `/`; no query
 * @param options.claims what the path does not contain: the method, a checksum, a purpose
 */
export function signUrl(options: {
  key: Buffer
  baseUrl: string
  path: string
  expiresAt: Date
  claims?: UrlClaims
}): string {
  const { key, baseUrl, path, expiresAt, claims = {} } = options
  if (!path.startsWith('/') || /[?#\s]/.test(path))
    throw new TypeError('a signed path begins with "/" and holds no query or space')
  const expires = String(Math.floor(expiresAt.getTime() / 1000))
  const encoded = Buffer.from(JSON.stringify(claims)).toString('base64url')
  const signature = mac(key, path, expires, encoded).toString('base64url')
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}?expires=${expires}&claims=${encoded}&signature=${signature}`
}

/**
 * Verifies a signed URL.
 *
 * @param options.keys `keyring.deriveAll('signed-url')`
 * @param options.url path and query of the request, undecoded, without the prefix of a proxy
 * @param options.now the current time
 */
export function verifySignedUrl(options: { keys: readonly Buffer[]; url: string; now: Date }): VerifiedUrl {
  const { keys, url, now } = options
  const queryAt = url.indexOf('?')
  if (queryAt < 0) return { ok: false, refusal: 'malformed' }
  const path = url.slice(0, queryAt)
  const query = new URLSearchParams(url.slice(queryAt))
  const [expires, encoded, encodedSignature] = ['expires', 'claims', 'signature'].map((name) => single(query, name))
  const signature = encodedSignature === undefined ? undefined : decodeCanonical(encodedSignature, 'base64url')
  if (expires === undefined || encoded === undefined || signature?.length !== 32 || !/^\d{1,12}$/.test(expires)) {
    return { ok: false, refusal: 'malformed' }
  }
  if (!keys.some((key) => isSameBytes(mac(key, path, expires, encoded), signature))) {
    return { ok: false, refusal: 'bad_signature' }
  }
  const expiresAt = new Date(Number(expires) * 1000)
  if (expiresAt <= now) return { ok: false, refusal: 'expired' }
  // The signature is valid, so the claims have the shape that `signUrl` wrote.
  const claims: UrlClaims = JSON.parse(Buffer.from(encoded, 'base64url').toString())
  return { ok: true, claims, expiresAt }
}

/** Returns the value of a parameter that appears exactly once. Duplicates are ambiguous. */
function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name)
  return values.length === 1 ? values[0] : undefined
}

/** None of the three can contain a line feed, so no two triples give the same text. */
function mac(key: Buffer, path: string, expires: string, claims: string): Buffer {
  return createHmac('sha256', key).update(`mortise/signed-url/v1\n${path}\n${expires}\n${claims}`).digest()
}
