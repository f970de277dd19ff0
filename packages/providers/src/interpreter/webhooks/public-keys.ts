import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/** Keys of one text: each may cost a verification. */
const keysMax = 8
/** Shorter keys can be broken (RFC 7518, 3.3). */
const modulusBitsMin = 2048

const framed = /-----BEGIN (RSA )?PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END \1PUBLIC KEY-----/g
/** How an Ed25519 key begins in DER (RFC 8410, 4); the key itself follows. */
const ed25519Start = Buffer.from('302a300506032b6570032100', 'hex')

export type KeyKind = 'rsa' | 'ed25519' | 'p256'

/**
 * Returns the public keys of one kind in a text: those in PEM, or one in Base64 without the frame, as people copy it
 * from a page. An Ed25519 key may also be its 32 bytes in hexadecimal digits. Leaves out everything else.
 */
export function publicKeys(text: string, kind: KeyKind): KeyObject[] {
  const found = [...text.matchAll(framed)].map(([, rsa, key = '']) => ({ key, type: rsa ? 'pkcs1' : 'spki' }) as const)
  const written = found.length > 0 ? found : [{ key: text, type: 'spki' } as const]
  return written.slice(0, keysMax).flatMap(({ key, type }) => {
    try {
      const made = createPublicKey({ key: bytesOf(key, kind), format: 'der', type })
      return isOfKind(made, kind) ? [made] : []
    } catch {
      // Not a key: nothing is verified with it.
      return []
    }
  })
}

/** Returns the RSA keys of a key set (JWKS, RFC 7517). Leaves out everything else. */
export function keysOfSet(text: string): KeyObject[] {
  let set: { keys?: unknown } | null
  try {
    set = JSON.parse(text) as typeof set
  } catch {
    return []
  }
  const keys = Array.isArray(set?.keys) ? (set.keys as unknown[]) : []
  return keys.slice(0, keysMax).flatMap((key) => {
    try {
      const made = createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
      return isOfKind(made, 'rsa') ? [made] : []
    } catch {
      // Not a key: nothing is verified with it.
      return []
    }
  })
}

function bytesOf(text: string, kind: KeyKind): Buffer {
  const isRaw = kind === 'ed25519' && /^[0-9a-f]{64}$/i.test(text.trim())
  return isRaw ? Buffer.concat([ed25519Start, Buffer.from(text.trim(), 'hex')]) : Buffer.from(text, 'base64')
}

function isOfKind(key: KeyObject, kind: KeyKind): boolean {
  if (kind === 'ed25519') return key.asymmetricKeyType === 'ed25519'
  if (kind === 'p256') return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  return key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= modulusBitsMin
}
