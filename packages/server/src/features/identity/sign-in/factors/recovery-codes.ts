import { hash, randomInt } from 'node:crypto'

const codes = 10
const groups = 4
const groupLength = 6
/** Without letters that look alike (Crockford). */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Returns new recovery codes. Each has 120 random bits, so that a plain hash of it is enough (NIST SP 800-63B,
 * 3.1.2.2).
 */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codes }, () => Array.from({ length: groups }, group).join('-'))
}

function group(): string {
  return Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** Hashes a recovery code for storage, however it was typed. */
export function hashRecoveryCode(code: string): Buffer {
  return hash('sha256', normalized(code), 'buffer')
}

/** Returns whether a text can be a recovery code. */
export function isRecoveryCode(code: string): boolean {
  return normalized(code).length === groups * groupLength
}

function normalized(code: string): string {
  return code
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
}
