import type { ErrorTable } from '../catalogue/format/provider-file.ts'
import type { ProviderHttp } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { waitUntilMs } from './header-time.ts'

/**
 * Keeps a limit that headers of responses report: while nothing of it is left, requests fail as `rate_limited` and are
 * not sent. Each connector knows the responses to its own requests.
 */
export function keepReportedLimit(
  http: ProviderHttp,
  declared: ErrorTable['limitHeaders'],
  now: () => number,
): ProviderHttp {
  if (declared === undefined) return http
  const { remaining, reset, format = 'seconds', seconds = 0 } = declared
  let until = 0
  return async (request) => {
    const waitMs = until - now()
    if (waitMs > 0)
      throw new ProviderError('rate_limited', 'The provider accepts no more requests until its limit starts again.', {
        retryAfterMs: waitMs,
      })
    const answer = await http(request)
    const left = Number.parseFloat(answer.headers[remaining.toLowerCase()] ?? '')
    // An error has its own wait.
    if (left <= 0 && answer.status < 400) {
      const reported = reset === undefined ? undefined : waitUntilMs(answer.headers[reset.toLowerCase()], format, now())
      until = now() + (reported ?? seconds * 1000)
    }
    return answer
  }
}
