import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Verification } from '../../catalogue/format/webhook-verification.ts'
import { compilePath, scalarText } from '../path.ts'
import { headerOf, type InboundRequest, payloadOf, type Verdict } from './inbound-request.ts'
import { keysOfSet, publicKeys } from './public-keys.ts'
import { isSame, verifySignature, withoutPrefix } from './verify-signature.ts'
import { verifyIdToken, verifyToken } from './verify-token.ts'

type SecretVerification = Extract<Verification, { by: 'token' }>

const kinds = { ed25519: 'ed25519', ecdsaSha256: 'p256', rsaSha256: 'rsa' } as const

/**
 * What verifies requests, as `verifyRequest` takes it: made once, because to make it for each request takes longer than
 * to hash an event. None for a secret that is empty, because anybody could sign with it, and for a text that holds no
 * public key where one is needed.
 */
export function verifyingKeys(verification: Verification, text: string): KeyObject[] {
  if (verification.by === 'oidc') return keysOfSet(text)
  if (verification.by === 'jwt') return publicKeys(text, 'rsa')
  if (verification.by === 'publicKey') return publicKeys(text, kinds[verification.algorithm])
  const { prefix = '', encoding = 'text' } = verification.secret
  const written = secretText(verification, text.startsWith(prefix) ? text.slice(prefix.length) : text)
  const bytes = Buffer.from(written, encoding === 'text' ? 'utf8' : encoding)
  return bytes.length === 0 ? [] : [createSecretKey(bytes)]
}

/** Returns a generated secret as the provider gets it: some limit its length. */
export function secretText(verification: Verification, generated: string): string {
  if ('key' in verification || verification.secret.from !== 'generated') return generated
  return generated.slice(0, verification.secret.characters)
}

/**
 * Whether a request comes from who knows one of the secrets, or the private part of one of the keys. Signatures are
 * compared in constant time; the time of signing only counts once the signature over it is right.
 *
 * @param values values of the provider apps or of the connection, by name
 */
export async function verifyRequest(
  verification: Verification,
  request: InboundRequest,
  keys: readonly KeyObject[],
  now: number,
  values: ReadonlyMap<string, readonly string[]> = new Map(),
): Promise<Verdict> {
  if (verification.by === 'token') return verifySecret(verification, request, keys) ? 'genuine' : 'forged'
  if (verification.by !== 'jwt' && verification.by !== 'oidc')
    return verifySignature(verification, request, keys, now, values)
  const header = headerOf(request, verification.header)
  if (header === undefined) return 'forged'
  if (verification.by === 'jwt') return verifyToken(verification, request, header, keys, now)
  const emails = values.get(verification.email) ?? []
  return verifyIdToken(verification, request, header, keys, { now, emails })
}

/** Returns the value that each request has once; undefined where the provider sends none. */
export function nonceOf(verification: Verification, request: InboundRequest): string | undefined {
  if (verification.by !== 'hmac' || verification.nonce === undefined) return undefined
  return scalarText(compilePath(verification.nonce)(payloadOf(request)))
}

/** Whether the request has the secret, and wherever it must have it. */
function verifySecret(verification: SecretVerification, request: InboundRequest, keys: readonly KeyObject[]): boolean {
  const received = receivedSecrets(verification, request)
  return received.length > 0 && received.every((text) => keys.some((key) => isSecret(text, key)))
}

function isSecret(text: string | undefined, key: KeyObject): boolean {
  return text !== undefined && isSame(Buffer.from(text), key.export())
}

function receivedSecrets(
  { header, prefix, user, body, list }: SecretVerification,
  request: InboundRequest,
): (string | undefined)[] {
  if (body !== undefined) {
    const payload = payloadOf(request)
    const read = compilePath(body)
    if (list === undefined) return [scalarText(read(payload))]
    const items = compilePath(list)(payload)
    return Array.isArray(items) ? items.map((item) => scalarText(read(item))) : []
  }
  const value = header === undefined ? undefined : headerOf(request, header)
  if (value === undefined) return []
  return [user === undefined ? withoutPrefix(value, prefix) : passwordOf(value, user)]
}

/** The password of Basic authentication, where the user is the declared one. */
function passwordOf(header: string, user: string): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1]
  return encoded === undefined ? undefined : withoutPrefix(Buffer.from(encoded, 'base64').toString('utf8'), `${user}:`)
}
