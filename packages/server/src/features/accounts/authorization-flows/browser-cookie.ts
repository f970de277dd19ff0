import { readSecretCookie, setSecretCookie } from '../../../kernel/http/index.ts'
import { flowMinutes, newFlowSecret } from './flow.ts'

type Headers = Record<string, string | string[] | undefined>

const cookie = ({ publicUrl }: { publicUrl: string }) => ({ publicUrl, name: 'mortise_connect' })

/** The secret of the browser, as it was sent. */
export function browserSecretOf(services: { publicUrl: string }, headers: Headers): string | undefined {
  return readSecretCookie(headers, cookie(services))
}

/** The secret of the browser, a new one where it has none, and the cookie that keeps it for as long as it is needed. */
export function browserFor(services: { publicUrl: string }, headers: Headers, minutes = flowMinutes) {
  const secret = browserSecretOf(services, headers) ?? newFlowSecret()
  return { secret, setCookie: setSecretCookie(cookie(services), secret, minutes * 60) }
}
