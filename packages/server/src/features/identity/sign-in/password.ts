import { randomBytes, scrypt } from 'node:crypto'
import { isSameBytes } from '../../../kernel/encryption/index.ts'
import { isGuessable } from './guessable.ts'
import { TooManyAttempts } from './problems.ts'

/** Hashes and verifies the passwords of people. */
export interface Passwords {
  /** Returns the hash to store: `scrypt$N$r$p$salt$key`, the last two in base64url. */
  hash(password: string): Promise<string>
  /**
   * Returns whether the password matches the stored hash. Without one (nobody has this email, or signs in elsewhere) it
   * takes as long and returns false.
   */
  verify(stored: string | null | undefined, password: string): Promise<boolean>
}

/** Parameters of scrypt: it uses `N` times `r` times 128 bytes of memory, and runs `p` times. */
export interface PasswordCost {
  N: number
  r: number
  p: number
}

/** Number of characters after normalization. */
export const passwordLengthMin = 12
export const passwordLengthMax = 200

/**
 * scrypt (RFC 7914) as recommended by OWASP's Password Storage Cheat Sheet. Of the settings of equal strength, this one
 * takes 32 MB, so that a small machine can check passwords without disturbing its other work.
 */
export const passwordCost: PasswordCost = { N: 2 ** 15, r: 8, p: 3 }
const keyBytes = 32
const saltBytes = 16
/** Each check takes memory, and a thread that DNS lookups and file access need, too. */
const atOnce = 2
const waitingMax = 200

/** Returns why a password is not allowed; undefined if it is. @param personal email address and name of the person */
export async function passwordFault(password: string, personal: readonly string[] = []): Promise<string | undefined> {
  const length = [...normalized(password)].length
  if (length < passwordLengthMin) return `The password must have at least ${passwordLengthMin} characters.`
  if (length > passwordLengthMax) return `The password must have at most ${passwordLengthMax} characters.`
  if (await isGuessable(normalized(password), personal))
    return 'This password is easy to guess. Choose several words that do not belong together.'
  return undefined
}

/**
 * Normalizes a password, so that the same characters typed on another keyboard match (RFC 8265, 4.2.2, with
 * compatibility forms).
 */
function normalized(password: string): string {
  return password.normalize('NFKC')
}

/** Whether two passwords that a person typed are the same one. */
export function isSamePassword(one: string, other: string): boolean {
  return normalized(one) === normalized(other)
}

/**
 * Creates the password functions. A stored hash contains its own cost, so existing passwords still work after a change
 * of the cost.
 */
export function createPasswords({ N, r, p }: PasswordCost = passwordCost): Passwords {
  const form = (salt: string, key: string) => ['scrypt', N, r, p, salt, key].join('$')
  const nobodys = form('A'.repeat(22), 'A'.repeat(43))
  return {
    async hash(password) {
      const salt = randomBytes(saltBytes)
      const key = await derive(password, salt, { N, r, p })
      return form(salt.toString('base64url'), key.toString('base64url'))
    },
    async verify(stored, password) {
      const [scheme, N, r, p, salt, key] = (stored ?? nobodys).split('$')
      if (scheme !== 'scrypt' || !salt || !key) throw new Error('a stored password has a form that is not known')
      const expected = Buffer.from(key, 'base64url')
      const cost = { N: Number(N), r: Number(r), p: Number(p) }
      const found = await derive(password, Buffer.from(salt, 'base64url'), cost)
      return isSameBytes(found, expected) && stored !== null && stored !== undefined
    },
  }
}

let running = 0
const waiting: (() => void)[] = []

async function derive(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
  if (running >= atOnce) {
    if (waiting.length >= waitingMax) throw new TooManyAttempts({ detail: 'Too many people are signing in right now.' })
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    const maxmem = 2 * 128 * cost.N * cost.r
    return await new Promise<Buffer>((resolve, reject) => {
      scrypt(normalized(password), salt, keyBytes, { ...cost, maxmem }, (error, key) =>
        error ? reject(error) : resolve(key),
      )
    })
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
