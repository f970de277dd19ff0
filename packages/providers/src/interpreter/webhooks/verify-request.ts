import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Verification } from '../../catalogue/format/webhooks.ts'
import { parseTemplate, type Template } from '../template.ts'
import type { InboundRequest, Verdict } from './inbound-request.ts'
import { publicKeys, verifyToken } from './verify-token.ts'

type HmacVerification = Extract<Verification, { by: 'hmac' }>

/** Further signatures of a header are ignored: each costs a hash. */
const signaturesMax = 8

const templates = new WeakMap<Verification, Template>()

/**
 * What verifies requests, as `verifyRequest` takes it: made once, because to make it for each request takes longer than
 * to hash an event. None for a secret that is empty, because anybody could sign with it, and for a text that holds no
 * public key where one is needed.
 */
export function verifyingKeys(verification: Verification, text: string): KeyObject[] {
  if (verification.by === 'jwt') return publicKeys(text)
  const encoding = verification.by === 'hmac' ? verification.secret.encoding : undefined
  const bytes = Buffer.from(text, encoding === undefined || encoding === 'text' ? 'utf8' : encoding)
  return bytes.length === 0 ? [] : [createSecretKey(bytes)]
}

/**
 * Whether a request comes from who knows one of the secrets, or the private part of one of the keys. Signatures are
 * compared in constant time; the time of signing only counts once the signature over it is right.
 */
export async function verifyRequest(
  verification: Verification,
  request: InboundRequest,
  keys: readonly KeyObject[],
  now: number,
): Promise<Verdict> {
  const header = headerOf(request, verification.header)
  if (header === undefined) return 'forged'
  if (verification.by === 'jwt') return verifyToken(verification, request, header, keys, now)
  if (verification.by === 'hmac') return verifyHmac(verification, request, header, keys, now)
  const received = withoutPrefix(header, verification.prefix)
  return received !== undefined && keys.some((key) => isSame(Buffer.from(received), key.export()))
    ? 'genuine'
    : 'forged'
}

function verifyHmac(
  verification: HmacVerification,
  request: InboundRequest,
  header: string,
  keys: readonly KeyObject[],
  now: number,
): Verdict {
  const { algorithm, encoding, field, prefix, timestamp } = verification
  const time = timestamp && sentTime(request, timestamp)
  if (timestamp && time === undefined) return 'forged'
  const received = (field === undefined ? [header] : fieldsOf(header, field))
    .slice(0, signaturesMax)
    .flatMap((value) => decoded(withoutPrefix(value, prefix), encoding) ?? [])
  if (received.length === 0) return 'forged'
  const signed = signedParts(verification, request, time?.text ?? '')
  const isSigned = keys.some((key) => {
    const hmac = createHmac(algorithm, key)
    for (const part of signed) hmac.update(part)
    const wanted = hmac.digest()
    return received.some((signature) => isSame(signature, wanted))
  })
  if (!isSigned) return 'forged'
  if (!timestamp || time === undefined) return 'genuine'
  return Math.abs(now - time.ms) <= timestamp.toleranceSeconds * 1_000 ? 'genuine' : 'stale'
}

function signedParts(
  verification: HmacVerification,
  { method, url, body }: InboundRequest,
  timestamp: string,
): (string | Buffer)[] {
  let template = templates.get(verification)
  if (template === undefined) {
    template = parseTemplate(verification.signedText ?? '{{body}}')
    templates.set(verification, template)
  }
  const values: Record<string, string> = { method, url, timestamp }
  const signed: (string | Buffer)[] = []
  let text = ''
  for (const part of template.parts) {
    if (typeof part === 'string') text += part
    else if (part.name !== 'body') text += values[part.name] ?? ''
    else {
      // Texts that follow each other are hashed in one call: each call costs more than what it hashes.
      if (text !== '') signed.push(text)
      signed.push(body)
      text = ''
    }
  }
  if (text !== '') signed.push(text)
  return signed
}

/** The first of several: no provider sends its signature twice. */
function headerOf({ headers }: InboundRequest, name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value[0] : value
}

function withoutPrefix(value: string, prefix = ''): string | undefined {
  return value.startsWith(prefix) ? value.slice(prefix.length) : undefined
}

/** Values of one name in `t=1,v1=a,v1=b`. */
function fieldsOf(header: string, field: string): string[] {
  return header.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    return pair.slice(0, at).trim() === field ? [pair.slice(at + 1).trim()] : []
  })
}

function sentTime(
  request: InboundRequest,
  { header, field, unit }: NonNullable<HmacVerification['timestamp']>,
): { text: string; ms: number } | undefined {
  const value = headerOf(request, header)
  const text = field === undefined || value === undefined ? value : fieldsOf(value, field)[0]
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined
  return { text, ms: Number(text) * (unit === 'seconds' ? 1_000 : 1) }
}

function decoded(text: string | undefined, encoding: 'hex' | 'base64'): Buffer | undefined {
  if (text === undefined || text.length > 256) return undefined
  const isWhole = encoding === 'hex' ? /^(?:[0-9a-f]{2})+$/i.test(text) : /^[A-Za-z0-9+/]+={0,2}$/.test(text)
  return isWhole ? Buffer.from(text, encoding) : undefined
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
