import { hash, randomBytes } from 'node:crypto'
import { agentTokenPrefix } from '../../identity/access/index.ts'

/** How long a person may take to sign in. */
export const signInMinutes = 10
/** How long a client may take to exchange a code. */
export const codeSeconds = 60
export const accessSeconds = 900
/** How long a session lives without use, and in all. */
export const idleDays = 30
export const sessionDays = 90

/** Returns 256 random bits in base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Hashes a secret for storage. It is random, so a plain hash is enough. */
export function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

const secretPattern = /^[\w-]{43}$/
const accessPattern = /^agent_[\w-]{43}$/
const refreshPattern = /^agentrefresh_([\w-]{43})([\w-]{43})$/

export function isSecret(text: string): boolean {
  return secretPattern.test(text)
}

export function newAccessToken(): string {
  return `${agentTokenPrefix}${newSecret()}`
}

export function isAccessToken(text: string): boolean {
  return accessPattern.test(text)
}

/**
 * A refresh token: a secret that all of its session have in common, and one that is new each time. So a token that was
 * used before is recognized without a list of them, and nobody can end a session with a guess.
 */
export interface RefreshToken {
  familyHash: Buffer
  refreshHash: Buffer
}

export function refreshTokenOf(family: string, secret: string): string {
  return `agentrefresh_${family}${secret}`
}

/** Returns the parts of a refresh token; undefined if it cannot be one. */
export function readRefreshToken(text: string): (RefreshToken & { family: string }) | undefined {
  const [, family, secret] = refreshPattern.exec(text) ?? []
  if (family === undefined || secret === undefined) return undefined
  return { family, familyHash: digestOf(family), refreshHash: digestOf(secret) }
}

export function later(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1_000)
}

export const daySeconds = 86_400
