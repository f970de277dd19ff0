import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { EncryptionKeyError, encryptionKeyBytes, parseEncryptionKey } from './encryption-key.ts'

const fileBytesMax = 1_024

/**
 * Reads the encryption key from a file that only its owner may read (mode 0600 or 0400).
 *
 * @throws EncryptionKeyError `missing`, `mode`, `unreadable`, `malformed` or `weak`
 */
export function readEncryptionKeyFile(path: string): Buffer {
  const descriptor = openKeyFile(path)
  try {
    // Checks the open file, not the path, so the checked file is the one that is read.
    const stat = fstatSync(descriptor)
    if (!stat.isFile())
      throw new EncryptionKeyError(
        'unreadable',
        `${path} is not a file. Name the file that contains the encryption key.`,
      )
    if ((stat.mode & 0o077) !== 0 && process.platform !== 'win32') {
      const mode = (stat.mode & 0o777).toString(8).padStart(4, '0')
      throw new EncryptionKeyError(
        'mode',
        `Other users can read the encryption key in ${path} (mode ${mode}). Run: chmod 600 ${path}`,
      )
    }
    const content = Buffer.alloc(fileBytesMax + 1)
    const bytes = readSync(descriptor, content)
    if (bytes > fileBytesMax) throw new EncryptionKeyError('malformed', `${path} is too large to be an encryption key.`)
    return parseEncryptionKey(content.toString('utf8', 0, bytes), path)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Makes an encryption key and writes it to a new file. The caller decides when to make one: a new key does not decrypt
 * existing data.
 *
 * @returns the key
 * @throws EncryptionKeyError as `writeEncryptionKeyFile`
 */
export function generateEncryptionKeyFile(path: string): Buffer {
  const key = randomBytes(encryptionKeyBytes)
  writeEncryptionKeyFile(path, key)
  return key
}

/**
 * Writes an encryption key to a new file (mode 0600). On return the file is complete and on disk; on an error there is
 * no new file.
 *
 * @throws EncryptionKeyError `exists` when there is a file, which stays unchanged; `unreadable` when it cannot be
 *   written
 */
export function writeEncryptionKeyFile(path: string, key: Buffer): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const descriptor = openSync(draft, 'wx', 0o600)
    try {
      writeSync(descriptor, `${key.toString('base64')}\n`)
      fsyncSync(descriptor)
      // A link appears with its content, and fails where a rename would replace the file.
      linkSync(draft, path)
    } finally {
      closeSync(descriptor)
      unlinkSync(draft)
    }
    syncFolder(dirname(path))
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') {
      throw new EncryptionKeyError(
        'exists',
        `${path} already exists and was not replaced. Move it to create a new key.`,
        cause,
      )
    }
    throw new EncryptionKeyError(
      'unreadable',
      `The encryption key cannot be written to ${path} (${codeOf(cause)}).`,
      cause,
    )
  }
}

/** Opens without blocking: a named pipe would block forever. */
function openKeyFile(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') {
      throw new EncryptionKeyError(
        'missing',
        `There is no encryption key at ${path}. Restore it from your backup: without it, stored credentials cannot be decrypted.`,
        cause,
      )
    }
    throw new EncryptionKeyError(
      'unreadable',
      `The encryption key in ${path} cannot be read (${codeOf(cause)}).`,
      cause,
    )
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'unknown error'
}
