import { hash, timingSafeEqual } from 'node:crypto'

/** What the forms of a session carry for this browser: a page of another site knows neither the link nor the cookie. */
export function formTokenOf(token: string, browserSecret: string): string {
  return hash('sha256', `${token}.${browserSecret}`, 'base64url')
}

export function isFormToken(given: string | null, token: string, browserSecret: string): boolean {
  const expected = Buffer.from(formTokenOf(token, browserSecret))
  const bytes = Buffer.from(given ?? '')
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}
