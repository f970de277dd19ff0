import { createHmac } from 'node:crypto'
import { isSameBytes, type Keyring } from '../../../kernel/encryption/index.ts'
import { readSecretCookie, setSecretCookie } from '../../../kernel/http/index.ts'
import { deviceDays } from './device.ts'
import { hashSecret, newSecret, sessionDays } from './sessions.ts'

/**
 * The cookies of the pages. One tells browsers apart, before and after a sign-in: forms and single sign-ons are bound
 * to it. The other holds a session, and is new at each sign-in, so that nobody can have chosen it before. A third one
 * outlives sessions: it proves that the browser signed in to an account before. A fourth one holds the token of a link
 * that resets a password, so that it does not stay in the address bar. A fifth one holds a sign-in that waits for the
 * second factor.
 */

type Headers = Record<string, string | string[] | undefined>
const resetSeconds = 3_600
/** How long a person may take for the second step. */
export const halfSignInSeconds = 600

type Where = { publicUrl: string }

const cookie = ({ publicUrl }: Where, kind: 'browser' | 'session' | 'device' | 'reset' | 'half') => ({
  publicUrl,
  name: `mortise_${kind}`,
})

/** The secret of the browser, and the cookie that gives it one when it has none. */
export function browserOf(where: Where, headers: Headers): { secret: string; setCookie: string | undefined } {
  const known = readSecretCookie(headers, cookie(where, 'browser'))
  if (known !== undefined) return { secret: known, setCookie: undefined }
  const secret = newSecret()
  return { secret, setCookie: setSecretCookie(cookie(where, 'browser'), secret, sessionDays * 86_400) }
}

/** The hash of the session's token that the browser sent. */
export function sessionTokenHash(where: Where, headers: Headers): Buffer | undefined {
  const token = readSecretCookie(headers, cookie(where, 'session'))
  return token === undefined ? undefined : hashSecret(token)
}

export function sessionCookie(where: Where, token: string): string {
  return setSecretCookie(cookie(where, 'session'), token, sessionDays * 86_400)
}

export function deviceOf(where: Where, headers: Headers): string | undefined {
  return readSecretCookie(headers, cookie(where, 'device'))
}

export function deviceCookie(where: Where, device: string): string {
  return setSecretCookie(cookie(where, 'device'), device, deviceDays * 86_400)
}

/** The token of the link to reset a password that the browser opened. */
export function resetTokenOf(where: Where, headers: Headers): string | undefined {
  return readSecretCookie(headers, cookie(where, 'reset'))
}

/** @param token undefined once it was used */
export function resetCookie(where: Where, token: string | undefined): string {
  return setSecretCookie(cookie(where, 'reset'), token ?? '', token === undefined ? 0 : resetSeconds)
}

/** The token of a sign-in that waits for the second factor. */
export function halfTokenOf(where: Where, headers: Headers): string | undefined {
  return readSecretCookie(headers, cookie(where, 'half'))
}

/** @param token undefined once it was used */
export function halfCookie(where: Where, token: string | undefined): string {
  return setSecretCookie(cookie(where, 'half'), token ?? '', token === undefined ? 0 : halfSignInSeconds)
}

export function noSessionCookie(where: Where): string {
  return setSecretCookie(cookie(where, 'session'), '', 0)
}

/** What a form of this browser, in this session, carries. */
export function formToken(
  { keyring }: { keyring: Keyring },
  browserSecret: string,
  sessionId: string | undefined,
): string {
  return tokenUnder(keyring.derive('sign-in'), browserSecret, sessionId).toString('base64url')
}

export function isFormToken(
  { keyring }: { keyring: Keyring },
  submitted: string | null,
  browserSecret: string,
  sessionId: string | undefined,
): boolean {
  const bytes = Buffer.from(submitted ?? '', 'base64url')
  return keyring
    .deriveAll('sign-in')
    .map((key) => tokenUnder(key, browserSecret, sessionId))
    .some((expected) => isSameBytes(bytes, expected))
}

function tokenUnder(key: Buffer, browserSecret: string, sessionId: string | undefined): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['form', browserSecret, sessionId ?? null]))
    .digest()
}
