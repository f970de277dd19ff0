import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Services } from '../../services.ts'
import { hashSecret, newSecret, sessionDays } from './sessions.ts'

/**
 * The two cookies of the pages. One tells browsers apart, before and after a sign-in: forms and single sign-ons are bound to it. The
 * other holds a session, and is new at each sign-in, so that nobody can have chosen it before.
 */

type Headers = Record<string, string | string[] | undefined>
type Where = Pick<Services, 'publicUrl'>

const secretPattern = /^[A-Za-z0-9_-]{43}$/

/** `__Host-`: set by this host over TLS, not by another one of the same domain. */
function cookieName({ publicUrl }: Where, kind: 'browser' | 'session'): string {
  return `${publicUrl.startsWith('https:') ? '__Host-' : ''}mortise_${kind}`
}

/** A `Set-Cookie` value. Lax, so that links that lead here (from a mail, a terminal, a provider of identities) find the session. */
function setCookie(where: Where, kind: 'browser' | 'session', value: string, maxAgeSeconds: number): string {
  const secure = where.publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(where, kind)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`
}

/** The value of a cookie of any name, as it was sent. */
export function readCookie(headers: Headers, name: string): string | undefined {
  const values = (headers['cookie']?.toString() ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  // Which of two would count is a question not to be asked.
  return values.length === 1 && secretPattern.test(values[0]!) ? values[0] : undefined
}

/** The secret of the browser, and the cookie that gives it one when it has none. */
export function browserOf(where: Where, headers: Headers): { secret: string; setCookie: string | undefined } {
  const known = readCookie(headers, cookieName(where, 'browser'))
  if (known !== undefined) return { secret: known, setCookie: undefined }
  const secret = newSecret()
  return { secret, setCookie: setCookie(where, 'browser', secret, sessionDays * 86_400) }
}

/** The hash of the session's token that the browser sent. */
export function sessionTokenHash(where: Where, headers: Headers): Buffer | undefined {
  const token = readCookie(headers, cookieName(where, 'session'))
  return token === undefined ? undefined : hashSecret(token)
}

export function sessionCookie(where: Where, token: string): string {
  return setCookie(where, 'session', token, sessionDays * 86_400)
}

export function noSessionCookie(where: Where): string {
  return setCookie(where, 'session', '', 0)
}

/** What a form of this browser, in this session, carries. */
export function formToken(
  { keyring }: Pick<Services, 'keyring'>,
  browserSecret: string,
  sessionId: string | undefined,
): string {
  return tokenUnder(keyring.derive('sign-in'), browserSecret, sessionId).toString('base64url')
}

export function isFormToken(
  { keyring }: Pick<Services, 'keyring'>,
  given: string | null,
  browserSecret: string,
  sessionId: string | undefined,
): boolean {
  const bytes = Buffer.from(given ?? '', 'base64url')
  return keyring
    .deriveAll('sign-in')
    .map((key) => tokenUnder(key, browserSecret, sessionId))
    .some((expected) => bytes.length === expected.length && timingSafeEqual(bytes, expected))
}

function tokenUnder(key: Buffer, browserSecret: string, sessionId: string | undefined): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['form', browserSecret, sessionId ?? null]))
    .digest()
}

/**
 * Whether a form was sent by a page of this service, as the browser itself says: by `Sec-Fetch-Site`, else by `Origin`. What is sent by
 * no browser has neither, and needs the form's token all the same.
 */
export function isSameOrigin({ publicUrl }: Where, headers: Headers): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const origin = headers['origin']
  if (origin === undefined) return true
  return origin === publicUrl || (URL.canParse(String(origin)) && new URL(String(origin)).host === headers['host'])
}
