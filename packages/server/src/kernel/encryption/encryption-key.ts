/** Why an encryption key cannot be used. */
export type EncryptionKeyProblem = 'missing' | 'malformed' | 'weak' | 'mode' | 'exists' | 'unreadable'

/** The encryption key is missing or unusable. `message` says what to do and never contains the key. */
export class EncryptionKeyError extends Error {
  override name = 'EncryptionKeyError'
  readonly problem: EncryptionKeyProblem
  constructor(problem: EncryptionKeyProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.problem = problem
  }
}

/** Size of an encryption key. */
export const encryptionKeyBytes = 32

const howToMake = 'Make one with "openssl rand -base64 32".'

/**
 * Parses an encryption key: 32 bytes as 64 hex digits, or as base64 or base64url with or without padding.
 *
 * @param source where the text comes from, for the message: `MORTISE_ENCRYPTION_KEY`, or a file's path
 * @throws EncryptionKeyError `missing`, `malformed` or `weak`
 */
export function parseEncryptionKey(text: string, source = 'MORTISE_ENCRYPTION_KEY'): Buffer {
  const trimmed = text.trim()
  if (trimmed === '') throw new EncryptionKeyError('missing', `${source} is empty. ${howToMake}`)
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return checkedRootKey(Buffer.from(trimmed, 'hex'), source)
  const unpadded = trimmed
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
  const key = Buffer.from(unpadded, 'base64')
  if (key.toString('base64').replace(/={1,2}$/, '') !== unpadded) {
    throw new EncryptionKeyError('malformed', `${source} is neither 64 hex digits nor base64. ${howToMake}`)
  }
  return checkedRootKey(key, source)
}

/**
 * Rejects keys that are not random: wrong length, few different bytes (32 random ones contain about 30), bytes in equal
 * steps, or readable text, which is a passphrase.
 *
 * @throws EncryptionKeyError `malformed` or `weak`
 */
export function checkedRootKey(key: Buffer, source = 'The encryption key'): Buffer {
  if (key.length !== encryptionKeyBytes) {
    throw new EncryptionKeyError(
      'malformed',
      `${source} has ${key.length} bytes instead of ${encryptionKeyBytes}. ${howToMake}`,
    )
  }
  const step = (key.readUInt8(1) - key.readUInt8(0)) & 0xff
  const inSteps = key.every((byte, at) => at === 0 || ((byte - key.readUInt8(at - 1)) & 0xff) === step)
  const isText = key.every((byte) => byte >= 0x20 && byte < 0x7f)
  if (inSteps || isText || new Set(key).size < 16) {
    throw new EncryptionKeyError('weak', `${source} is not random enough. ${howToMake}`)
  }
  return key
}
