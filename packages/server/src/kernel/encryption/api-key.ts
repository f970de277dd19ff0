import { createHmac, createSecretKey, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Parts of an API key that can be read without a lookup. */
export type ParsedApiKey = {
  env: ApiKeyEnv
  /** Part of the key that may be shown: its prefix and last four characters. */
  hint: string
}

/** The part of a key after `mortise_`. */
export type ApiKeyEnv = 'live'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 28 base62 digits hold 166 bits. */
const randomDigits = 28
const checksumDigits = 6
const shape = /^mortise_(live)_[0-9A-Za-z]{28}[0-9A-Za-z]{6}$/
const keyLength = 'mortise_live_'.length + randomDigits + checksumDigits

/** Makes an API key: `mortise_live_`, 28 random base62 digits, and the CRC-32 of all before it in 6 base62 digits. */
export function generateApiKey(env: ApiKeyEnv = 'live'): string {
  const random = Array.from({ length: randomDigits }, () => digits[randomInt(digits.length)]).join('')
  const body = `mortise_${env}_${random}`
  return body + checksum(body)
}

/**
 * Parses a key without a lookup. The checksum detects mistyped and invented keys offline, and lets secret scanners
 * avoid false positives. It does not authenticate the sender.
 *
 * @returns `undefined` when the text is not a Mortise key
 */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  if (text.length !== keyLength || !shape.test(text)) return undefined
  if (checksum(text.slice(0, -checksumDigits)) !== text.slice(-checksumDigits)) return undefined
  return { env: 'live', hint: `mortise_live_…${text.slice(-4)}` }
}

/**
 * Returns the HMAC-SHA-256 (32 bytes) under which a key is stored and found. A copy of the table is useless without the
 * pepper.
 *
 * @param pepper `keyring.derive('api-key-pepper')`; after a rotation, look up under each of `deriveAll`
 */
export function hashApiKey(pepper: Buffer, key: string): Buffer {
  return createHmac('sha256', createSecretKey(pepper)).update(key).digest()
}

function checksum(text: string): string {
  let rest = crc32(text)
  let encoded = ''
  for (let at = 0; at < checksumDigits; at++) {
    encoded = digits[rest % digits.length] + encoded
    rest = Math.floor(rest / digits.length)
  }
  return encoded
}
