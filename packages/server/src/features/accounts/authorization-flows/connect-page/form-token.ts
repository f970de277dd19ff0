import { hash } from 'node:crypto'
import { isSameBytes } from '../../../../kernel/encryption/index.ts'

/** What the forms of a session carry for this browser: a page of another site knows neither the link nor the cookie. */
export function formTokenOf(token: string, browserSecret: string): string {
  return hash('sha256', `${token}.${browserSecret}`, 'base64url')
}

export function isFormToken(submitted: string | null, token: string, browserSecret: string): boolean {
  return isSameBytes(Buffer.from(submitted ?? ''), Buffer.from(formTokenOf(token, browserSecret)))
}
