import { readSecretCookie, setSecretCookie } from '../../../kernel/http/index.ts'
import { newSecret, signInMinutes } from './secrets.ts'

type Headers = Record<string, string | string[] | undefined>

const cookie = ({ publicUrl }: { publicUrl: string }) => ({ publicUrl, name: 'mortise_agent' })

/** Returns the secret of the browser, as it was sent. */
export function browserSecretOf(services: { publicUrl: string }, headers: Headers): string | undefined {
  return readSecretCookie(headers, cookie(services))
}

/** Returns the secret of the browser, a new one if it has none, and the cookie that keeps it during the sign-in. */
export function browserFor(services: { publicUrl: string }, headers: Headers): { secret: string; setCookie: string } {
  const secret = browserSecretOf(services, headers) ?? newSecret()
  return { secret, setCookie: setSecretCookie(cookie(services), secret, signInMinutes * 60) }
}
