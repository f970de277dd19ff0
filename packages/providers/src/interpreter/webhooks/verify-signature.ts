import { createHmac, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import type { SignedVerification, Timestamp } from '../../catalogue/format/webhook-verification.ts'
import { compileMatch } from '../match.ts'
import { compilePath, scalarText } from '../path.ts'
import { headerOf, type InboundRequest, payloadOf, type Verdict } from './inbound-request.ts'
import { signedParts } from './signed-text.ts'

type KeyVerification = Extract<SignedVerification, { by: 'publicKey' }>

/** Further signatures of a header are ignored: each costs a hash. */
const signaturesMax = 8
/** Longer texts are not signatures: RSA with 4096 bits has 1,024 hexadecimal digits. */
const signatureCharactersMax = 2_048

/**
 * Verifies a signature over a text of the request. Compares in constant time. The time of signing only counts once the
 * signature over it is right.
 *
 * @param values values of the provider apps or of the connection, by name
 */
export function verifySignature(
  verification: SignedVerification,
  request: InboundRequest,
  keys: readonly KeyObject[],
  now: number,
  values: ReadonlyMap<string, readonly string[]>,
): Verdict {
  const { timestamp } = verification
  const time = timestamp && sentTime(request, timestamp, verification.separator)
  if (timestamp && time === undefined) return 'forged'
  const received = receivedSignatures(verification, request)
  if (received.length === 0) return 'forged'
  const signed = signedParts(verification, request, time?.text ?? '')
  if (signed === undefined || !isSigned(verification, request, signed, { received, keys })) return 'forged'
  if (verification.by === 'publicKey' && !isFromSender(verification, request, values)) return 'forged'
  if (!timestamp || time === undefined) return 'genuine'
  return Math.abs(now - time.ms) <= timestamp.toleranceSeconds * 1_000 ? 'genuine' : 'stale'
}

function isSigned(
  verification: SignedVerification,
  request: InboundRequest,
  signed: readonly (string | Buffer)[],
  { received, keys }: { received: readonly Buffer[]; keys: readonly KeyObject[] },
): boolean {
  if (verification.by === 'hmac')
    return keys.some((key) => {
      const hmac = createHmac(verification.algorithm, key)
      for (const part of signed) hmac.update(part)
      const wanted = hmac.digest()
      return received.some((signature) => isSame(signature, wanted))
    })
  const text = Buffer.concat(signed.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  const digest = digestOf(verification, request)
  return keys.some((key) => received.some((signature) => isVerified(digest, text, key, signature)))
}

/** Whether the request names one of the values as its sender, where the key signs for others, too. */
function isFromSender(
  { sender }: KeyVerification,
  request: InboundRequest,
  values: ReadonlyMap<string, readonly string[]>,
): boolean {
  if (sender === undefined) return true
  const named = scalarText(compilePath(sender.at)(payloadOf(request)))
  if (named === undefined || named === '') return false
  return (values.get(sender.name) ?? []).some((value) => isSame(Buffer.from(value), Buffer.from(named)))
}

function digestOf({ algorithm, sha1When }: KeyVerification, request: InboundRequest): string | null {
  if (algorithm === 'ed25519') return null
  return sha1When !== undefined && compileMatch(sha1When)(payloadOf(request)) ? 'sha1' : 'sha256'
}

function isVerified(digest: string | null, text: Buffer, key: KeyObject, signature: Buffer): boolean {
  try {
    return verify(digest, text, key, signature)
  } catch {
    // Not a signature of this kind of key.
    return false
  }
}

function receivedSignatures(verification: SignedVerification, request: InboundRequest): Buffer[] {
  const { header, prefix, separator, encoding } = verification
  const { body } = verification
  const field = verification.by === 'hmac' ? verification.field : undefined
  const text =
    body === undefined ? header && headerOf(request, header) : scalarText(compilePath(body)(payloadOf(request)))
  if (text === undefined) return []
  return splitSignatures(text, field, separator)
    .flatMap((value) => withoutPrefix(value, prefix) ?? [])
    .slice(0, signaturesMax)
    .flatMap((value) => decoded(value, encoding) ?? [])
}

function splitSignatures(text: string, field: string | undefined, separator: string | undefined): string[] {
  if (field !== undefined) return fieldsOf(text, field, separator ?? ',')
  return separator === undefined ? [text] : text.split(separator).map((part) => part.trim())
}

export function withoutPrefix(value: string, prefix = ''): string | undefined {
  return value.startsWith(prefix) ? value.slice(prefix.length) : undefined
}

/** Values of one name in `t=1,v1=a,v1=b`. */
function fieldsOf(header: string, field: string, separator: string): string[] {
  return header.split(separator).flatMap((pair) => {
    const at = pair.indexOf('=')
    return pair.slice(0, at).trim() === field ? [pair.slice(at + 1).trim()] : []
  })
}

/** The date and the time, with the time zone: what `Date.parse` reads beyond that differs among programs. */
const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/

function sentTime(
  request: InboundRequest,
  declared: Timestamp,
  separator: string | undefined,
): { text: string; ms: number } | undefined {
  const { unit } = declared
  const text = timeText(request, declared, separator)
  if (text === undefined) return undefined
  if (unit === 'rfc3339') {
    const ms = rfc3339.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(ms) ? undefined : { text, ms }
  }
  return /^\d{1,16}$/.test(text) ? { text, ms: Number(text) * (unit === 'seconds' ? 1_000 : 1) } : undefined
}

function timeText(
  request: InboundRequest,
  { header, field, position, body }: Timestamp,
  separator = ',',
): string | undefined {
  if (body !== undefined) return scalarText(compilePath(body)(payloadOf(request)))
  const value = header === undefined ? undefined : headerOf(request, header)
  if (value === undefined) return undefined
  if (position !== undefined) return value.split(separator, position)[position - 1]?.trim()
  return field === undefined ? value : fieldsOf(value, field, separator)[0]
}

function decoded(text: string, encoding: 'hex' | 'base64'): Buffer | undefined {
  if (text.length > signatureCharactersMax) return undefined
  const isWhole = encoding === 'hex' ? /^(?:[0-9a-f]{2})+$/i.test(text) : /^[A-Za-z0-9+/]+={0,2}$/.test(text)
  return isWhole ? Buffer.from(text, encoding) : undefined
}

export function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
