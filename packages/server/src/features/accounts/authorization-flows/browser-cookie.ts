import { readSecretCookie, setSecretCookie } from '../../../kernel/http/index.ts'
import type { Services } from '../../../services.ts'
import { flowMinutes, newFlowSecret } from './flow.ts'

type Headers = Record<string, string | string[] | undefined>

const cookie = ({ publicUrl }: Pick<Services, 'publicUrl'>) => ({ publicUrl, name: 'mortise_connect' })

/** The secret of the browser, as it was sent. */
export function browserSecretOf(services: Pick<Services, 'publicUrl'>, headers: Headers): string | undefined {
  return readSecretCookie(headers, cookie(services))
}

/** The secret of the browser, a new one where it has none, and the cookie that keeps it for as long as it is needed. */
export function browserFor(services: Pick<Services, 'publicUrl'>, headers: Headers, minutes = flowMinutes) {
  const secret = browserSecretOf(services, headers) ?? newFlowSecret()
  return { secret, setCookie: setSecretCookie(cookie(services), secret, minutes * 60) }
}
