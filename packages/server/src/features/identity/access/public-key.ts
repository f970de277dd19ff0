import { createPublicKey, type KeyObject } from 'node:crypto'

/**
 * What is wrong with a public key, and what to do. Nothing of the key itself: it may be a private one, sent by mistake.
 */
export interface KeyFault {
  detail: string
  remedy: string
}

const bitsMin = 2_048
const bitsMax = 16_384
const spki = /^-----BEGIN PUBLIC KEY-----\r?\n[A-Za-z0-9+/=\r\n]+-----END PUBLIC KEY-----$/
const remedy = 'Send the output of: openssl rsa -in private.pem -pubout'

/**
 * Reads an RSA public key, SPKI in PEM, and writes it in its one usual form.
 *
 * Node makes a public key of a private one without a word, and takes certificates and other kinds of keys too: the text
 * must say what it is before it is parsed. Tokens can be forged under tiny exponents, and huge ones make each check
 * slow.
 */
export function readPublicKey(text: string): { pem: string } | { fault: KeyFault } {
  const trimmed = text.trim()
  if (/PRIVATE KEY/i.test(trimmed))
    return {
      fault: {
        detail: 'This is a private key. It was not stored; nobody but the server that signs with it may have it.',
        remedy: `Treat it as leaked if it travelled over a network that you do not trust. ${remedy}`,
      },
    }
  if (!spki.test(trimmed)) return { fault: { detail: 'This is not one public key in PEM, of the form SPKI.', remedy } }
  let key: KeyObject
  try {
    key = createPublicKey({ key: trimmed, format: 'pem', type: 'spki' })
  } catch {
    return { fault: { detail: 'The public key cannot be read: its PEM is damaged.', remedy } }
  }
  if (key.asymmetricKeyType !== 'rsa') return { fault: { detail: 'The key is not an RSA key.', remedy } }
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < bitsMin || modulusLength > bitsMax)
    return {
      fault: {
        detail: `The key has ${modulusLength} bits; it must have ${bitsMin} to ${bitsMax}.`,
        remedy: 'Make one by: openssl genrsa -out private.pem 2048',
      },
    }
  if (publicExponent < 3n || publicExponent % 2n === 0n || publicExponent > 0xffff_ffffn)
    return {
      fault: {
        detail: 'The public exponent of the key is not a safe one.',
        remedy: 'Make a key by: openssl genrsa -out private.pem 2048',
      },
    }
  return { pem: key.export({ type: 'spki', format: 'pem' }).toString() }
}
