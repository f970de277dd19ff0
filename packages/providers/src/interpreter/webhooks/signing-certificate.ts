import { type KeyObject, X509Certificate } from 'node:crypto'
import type { CertifiedVerification, Verification } from '../../catalogue/format/webhook-verification.ts'
import { compilePath, scalarText } from '../path.ts'
import { allowedUrl } from './allowed-url.ts'
import { compileRequestValue } from './handshakes.ts'
import { headerOf, type InboundRequest, payloadOf } from './inbound-request.ts'
import { verifyingKeys } from './verify-request.ts'

/** A signing certificate has two or three above it. */
const chainMax = 6

/** The public key of a certificate, and until when the certificate is valid, in milliseconds. */
export interface CertifiedKey {
  key: KeyObject
  until: number
}

/** Whether each request names the URL of the certificate that verifies it. */
export function isCertified(verification: Verification): verification is CertifiedVerification {
  return 'key' in verification && verification.key.from === 'certificate'
}

/**
 * Returns the URL of the certificate that a request names. Undefined unless it is https on a host of the file, and for
 * a request without a signature, which nothing could verify.
 */
export function certificateUrl(verification: CertifiedVerification, request: InboundRequest): string | undefined {
  const { certificate } = verification.key
  if (certificate === undefined || !hasSignature(verification, request)) return undefined
  const url = allowedUrl(compileRequestValue(certificate.at)(request), certificate.hosts)
  const { pathEnd } = certificate
  if (pathEnd !== undefined && (url?.search !== '' || !url.pathname.endsWith(pathEnd))) return undefined
  return url?.href
}

function hasSignature({ header, body }: CertifiedVerification, request: InboundRequest): boolean {
  if (header !== undefined) return headerOf(request, header) !== undefined
  return body !== undefined && scalarText(compilePath(body)(payloadOf(request))) !== undefined
}

/**
 * Returns the key of a certificate that is valid now, has one of the declared names and, where the file requires it, a
 * chain to a trusted authority. Undefined for anything else.
 *
 * @param pem the certificate first, then those above it
 * @param authorities trusted authorities, as PEM
 */
export function certifiedKey(
  verification: CertifiedVerification,
  pem: string,
  now: number,
  authorities: readonly string[],
): CertifiedKey | undefined {
  const { certificate } = verification.key
  const [leaf, ...above] = certificatesIn(pem)
  if (certificate === undefined || leaf === undefined || !isValidAt(leaf, now)) return undefined
  if (!certificate.names.some((name) => leaf.checkHost(name) !== undefined)) return undefined
  if (certificate.chain && !isTrusted([leaf, ...above], now, authorities)) return undefined
  const [key] = verifyingKeys(verification, leaf.publicKey.export({ type: 'spki', format: 'pem' }).toString())
  return key && { key, until: Date.parse(leaf.validTo) }
}

function certificatesIn(pem: string): X509Certificate[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? []
  return found.slice(0, chainMax).flatMap((text) => {
    try {
      return [new X509Certificate(text)]
    } catch {
      // Not a certificate: nothing is verified with it.
      return []
    }
  })
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now < Date.parse(validTo)
}

/** Whether each certificate is signed by the next, up to one that a trusted authority signed. */
function isTrusted(chain: readonly X509Certificate[], now: number, authorities: readonly string[]): boolean {
  const trusted = authoritiesOf(authorities)
  for (const [at, one] of chain.entries()) {
    if ((trusted.get(one.issuer) ?? []).some((root) => isValidAt(root, now) && isSignedBy(one, root))) return true
    const issuer = chain[at + 1]
    if (!issuer?.ca || !isValidAt(issuer, now) || !isSignedBy(one, issuer)) return false
  }
  return false
}

function isSignedBy(one: X509Certificate, issuer: X509Certificate): boolean {
  return one.checkIssued(issuer) && one.verify(issuer.publicKey)
}

const parsed = new WeakMap<readonly string[], Map<string, X509Certificate[]>>()

/** Returns authorities by their names, parsed once: there are more than a hundred. */
function authoritiesOf(authorities: readonly string[]): Map<string, X509Certificate[]> {
  const known = parsed.get(authorities)
  if (known !== undefined) return known
  const made = Map.groupBy(
    authorities.map((pem) => new X509Certificate(pem)),
    ({ subject }) => subject,
  )
  parsed.set(authorities, made)
  return made
}
