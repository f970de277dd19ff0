import { createHash, createHmac, type KeyObject, randomBytes, sign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { SignedVerification, Timestamp, Verification } from '../../catalogue/format/webhook-verification.ts'
import { filledText, variablesIn } from './fill.ts'
import { fits, isJson, type Json, valueAt, withValue } from './json-paths.ts'
import type { Payload } from './sent-event.ts'
import { signingKeys } from './signing-keys.ts'

/** What a sender knows and the service, too; or the private key and what the service gets of it. */
export interface EventSecret {
  /** What Mortise gets. */
  text: string
  key: Buffer | KeyObject
}

/** What a signature may cover besides the event. */
export interface Circumstances {
  url: string
  registration: string
  /** When the event is sent, in milliseconds. */
  at: number
  email: string
  /** The name of the sender, where the key signs for others, too. */
  sender: string
}

/** A request with an event. */
export interface SignedRequest {
  headers: Record<string, string>
  body: string
  /** Names of the headers that the signature needs. */
  needed: string[]
}

/** Returns another secret or key on every call, as the file declares it. Keys of one kind are two, by turns. */
export function eventSecret(verification: Verification, which: 0 | 1 = 0): EventSecret {
  if ('key' in verification) {
    const kind = verification.by === 'publicKey' ? verification.algorithm : 'rsaSha256'
    const { privateKey, publicKey } = signingKeys(kind, which)
    const isSet = verification.by === 'oidc'
    const set = isSet && JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] })
    return { text: set || publicKey.export({ type: 'spki', format: 'pem' }).toString(), key: privateKey }
  }
  const { from, prefix = '', encoding = 'text', characters } = verification.secret
  const bytes = randomBytes(32)
  if (encoding !== 'text') return { text: `${prefix}${bytes.toString(encoding)}`, key: bytes }
  const text = bytes.toString('hex')
  return { text: `${prefix}${text}`, key: Buffer.from(from === 'generated' ? text.slice(0, characters) : text) }
}

/**
 * Signs an event as a file declares it. It uses nothing of what verifies signatures.
 *
 * @param isSpoiled whether a bit of the signature is wrong
 */
export function signEvent(
  verification: Verification,
  { body, headers }: Payload,
  { key }: EventSecret,
  around: Circumstances,
  isSpoiled = false,
): SignedRequest {
  const spoil = (bytes: Buffer) => (isSpoiled ? spoiled(bytes) : bytes)
  switch (verification.by) {
    case 'token':
      return withToken(verification, { body, headers }, spoil(key as Buffer).toString('latin1'))
    case 'jwt': {
      const { bodyDigest, urlClaim, header } = verification
      const text = textOf(body)
      const digest = createHash(bodyDigest.algorithm).update(text).digest(bodyDigest.encoding)
      const claims = { [bodyDigest.claim]: digest, ...(urlClaim !== undefined && { [urlClaim]: around.url }) }
      return inHeader(header, `Bearer ${tokenOf({ ...claims, exp: seconds(around.at) }, key as KeyObject, spoil)}`)
    }
    case 'oidc': {
      const sender = { iss: verification.issuers[0], email: around.email, email_verified: true }
      const claims = { ...sender, aud: around.url, exp: seconds(around.at) }
      return inHeader(verification.header, `Bearer ${tokenOf(claims, key as KeyObject, spoil)}`)
    }
    default:
      return withSignature(verification, { body, headers }, key, around, spoil)
  }

  function inHeader(name: string, value: string): SignedRequest {
    const lower = name.toLowerCase()
    return { headers: { ...headers, [lower]: value }, body: textOf(body), needed: [lower] }
  }
}

const seconds = (ms: number) => Math.floor(ms / 1_000)
const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))

/** The bytes with one other letter, or bit, at the end of the first third: ends of Base64 may have unused bits. */
function spoiled(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  const at = Math.floor(copy.length / 3)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

function withToken(
  { header, prefix = '', user, body: path, list }: Extract<Verification, { by: 'token' }>,
  { body, headers }: Payload,
  secret: string,
): SignedRequest {
  if (header !== undefined) {
    const basic = `Basic ${Buffer.from(`${user ?? ''}:${secret}`).toString('base64')}`
    const name = header.toLowerCase()
    const value = user === undefined ? `${prefix}${secret}` : basic
    return { headers: { ...headers, [name]: value }, body: textOf(body), needed: [name] }
  }
  if (path === undefined) throw new Error('The file does not say where the secret is.')
  const items = list === undefined ? undefined : (valueAt(body, list) as unknown[])
  const made =
    list === undefined
      ? withValue(body, path, secret)
      : withValue(
          body,
          list,
          (items ?? [{}]).map((item) => withValue(item, path, secret)),
        )
  return { headers, body: textOf(made), needed: [] }
}

/** A JSON Web Token (RFC 7519) with RS256. */
function tokenOf(claims: object, key: KeyObject, spoil: (bytes: Buffer) => Buffer): string {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${spoil(sign('sha256', Buffer.from(text), key)).toString('base64url')}`
}

function withSignature(
  verification: SignedVerification,
  { body, headers }: Payload,
  key: Buffer | KeyObject,
  around: Circumstances,
  spoil: (bytes: Buffer) => Buffer,
): SignedRequest {
  const { timestamp, signedText = '{{body}}', signedParts, encoding, prefix = '', body: path, header } = verification
  const sentAt = timestamp && timeText(timestamp, around.at)
  const named = variablesIn(signedParts ?? signedText)
  let json = body
  if (timestamp?.body !== undefined) json = withValue(json, timestamp.body, sentAt)
  if (verification.by === 'hmac' && verification.nonce !== undefined)
    json = withValue(json, verification.nonce, 'sample-nonce')
  if (verification.by === 'publicKey' && verification.sender !== undefined)
    json = withValue(json, verification.sender.at, around.sender)
  const sent = { ...headers }
  for (const name of signedParts === undefined ? named : []) {
    const [, kind, rest = ''] = /^(header|payload)\.(.*)$/.exec(name) ?? []
    if (kind === 'header') sent[rest.toLowerCase()] ??= 'sample'
    if (kind === 'payload' && valueAt(json, rest) === undefined) json = withValue(json, rest, 'sample')
  }
  const isForm = named.includes('sortedForm')
  if (isForm) sent['content-type'] = 'application/x-www-form-urlencoded'
  const form = isForm && isJson(json) ? new URLSearchParams(json as Record<string, string>) : undefined
  const text = form?.toString() ?? textOf(json)
  const values = {
    ...{ body: text, bodyCrc32: crc32(text), timestamp: sentAt, method: 'POST', url: around.url, payload: json },
    ...{ registration: around.registration, header: sent },
    sortedForm: [...(form ?? [])]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flat()
      .join(''),
  }
  const signed = (signedParts ?? [signedText]).map((part) => filledText(part, values) ?? '').join('')
  const made = prefix + spoil(signatureOf(verification, signed, key, json)).toString(encoding)
  if (path !== undefined) json = withValue(json, path, made)
  const inHeaders = { ...timeHeader(timestamp, sentAt), ...signatureHeader(verification, made, sentAt) }
  const own = named.flatMap((name) => (name.startsWith('header.') ? name.slice('header.'.length).toLowerCase() : []))
  return {
    headers: { ...sent, ...inHeaders },
    body: path === undefined ? text : textOf(json),
    needed: [...new Set([...Object.keys(inHeaders), ...(header === undefined ? [] : own)])],
  }
}

function signatureOf(verification: SignedVerification, text: string, key: Buffer | KeyObject, json: unknown): Buffer {
  if (verification.by === 'hmac') return createHmac(verification.algorithm, key).update(text).digest()
  if (verification.algorithm === 'ed25519') return sign(null, Buffer.from(text), key as KeyObject)
  const isOld = verification.sha1When !== undefined && fits(json, verification.sha1When as Json)
  return sign(isOld ? 'sha1' : 'sha256', Buffer.from(text), key as KeyObject)
}

function timeText({ unit }: Timestamp, at: number): string {
  if (unit === 'rfc3339') return new Date(at).toISOString()
  return String(unit === 'seconds' ? seconds(at) : at)
}

/** The header of the time, where it is not that of the signature. */
function timeHeader(timestamp: Timestamp | undefined, sentAt = ''): Record<string, string> {
  if (timestamp?.header === undefined) return {}
  const { header, field } = timestamp
  return { [header.toLowerCase()]: field === undefined ? sentAt : `${field}=${sentAt}` }
}

function signatureHeader(verification: SignedVerification, made: string, sentAt = ''): Record<string, string> {
  const { header, separator, timestamp, prefix = '' } = verification
  const field = verification.by === 'hmac' ? verification.field : undefined
  if (header === undefined) return {}
  const isShared = timestamp?.header?.toLowerCase() === header.toLowerCase()
  const pairs = [
    ...(isShared && timestamp?.field !== undefined ? [`${timestamp.field}=${sentAt}`] : []),
    ...(isShared && timestamp?.position !== undefined ? [sentAt] : []),
    // The signature of a former secret.
    ...(field === undefined && separator !== undefined ? [`${prefix}00ff`] : []),
    field === undefined ? made : `${field}=${made}`,
  ]
  return { [header.toLowerCase()]: pairs.join(separator ?? ',') }
}
