import { randomBytes, scrypt } from 'node:crypto'
import { isSameBytes } from '../../../kernel/encryption/index.ts'
import { isGuessable } from './guessable.ts'
import { TooManyAttempts } from './problems.ts'

/** Passwords of people. */
export interface Passwords {
  /** The hash that is stored: `scrypt$N$r$p$salt$key`, the last two in base64url. */
  hash(password: string): Promise<string>
  /**
   * Whether the password is the one that was stored. Without a stored one (nobody has this email, or signs in
   * elsewhere) it takes as long, and is not.
   */
  verify(stored: string | null | undefined, password: string): Promise<boolean>
}

/** Of scrypt: `N` (times `r` times 128 bytes) is the memory, `p` how often. */
export interface PasswordCost {
  N: number
  r: number
  p: number
}

/** Characters after normalisation. */
export const passwordLengthMin = 12
export const passwordLengthMax = 200

/**
 * scrypt (RFC 7914) as OWASP's Password Storage Cheat Sheet has it: of the settings of equal strength the one that
 * takes 32 MB, so that a small machine can check passwords beside its work.
 */
export const passwordCost: PasswordCost = { N: 2 ** 15, r: 8, p: 3 }
const keyBytes = 32
const saltBytes = 16
/** Each check takes memory and a thread that name look-ups and files need too. */
const atOnce = 2
const waitingMax = 200

/** Says why a password cannot be chosen; undefined when it can. @param personal mail address and name of the person */
export function passwordFault(password: string, personal: readonly string[] = []): string | undefined {
  const length = [...normalised(password)].length
  if (length < passwordLengthMin) return `The password must have at least ${passwordLengthMin} characters.`
  if (length > passwordLengthMax) return `The password must have at most ${passwordLengthMax} characters.`
  if (isGuessable(normalised(password), personal))
    return 'This password is easy to guess. Choose several words that do not belong together.'
  return undefined
}

/** The same characters typed on another keyboard are the same password (RFC 8265, 4.2.2, with compatibility forms). */
function normalised(password: string): string {
  return password.normalize('NFKC')
}

/**
 * Hashes and checks passwords. What is stored says what it cost, so that another cost takes nothing from those who have
 * a password.
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
      scrypt(normalised(password), salt, keyBytes, { ...cost, maxmem }, (error, key) =>
        error ? reject(error) : resolve(key),
      )
    })
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
