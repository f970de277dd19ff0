import type { OutboundResponse } from '../../../kernel/net/index.ts'
import { TokenRefused, TokenUnavailable } from './token-errors.ts'

/** Error codes that some providers send for temporary failures. They say nothing about the grant. */
const passing = new Set([
  'temporarily_unavailable',
  'server_error',
  'internal_error',
  'internal_server_error',
  'service_unavailable',
  'slow_down',
  'ratelimited',
  'rate_limited',
  'rate_limit_exceeded',
  'too_many_requests',
  'request_timeout',
  'fatal_error',
])

/**
 * Reads the response of a token endpoint into the form of RFC 6749, 5.1. Also accepts form encoding (GitHub), a refusal
 * with status 200 (GitHub, Slack), a missing `token_type`, numbers as text, and scopes as a list.
 *
 * A response of a proxy, or of a provider that is down, must never invalidate a valid connection. So only an error in
 * the endpoint's own format (JSON or a form) is a refusal. Everything else may be temporary.
 *
 * @param secrets never repeated in errors, even if the provider repeats them
 * @throws TokenRefused, TokenUnavailable; of the response they contain only the error code
 */
export function readTokenBody(
  answer: OutboundResponse,
  { provider, secrets, now }: { provider: string; secrets: readonly string[]; now: Date },
): Record<string, unknown> & { access_token: string } {
  const { status } = answer
  const retryAfterMs = retryAfter(answer.headers['retry-after'], now)
  const unavailable = (words: string) => new TokenUnavailable(words, retryAfterMs === undefined ? {} : { retryAfterMs })
  if (status >= 500 || status === 429 || status === 408 || status < 200)
    throw unavailable(`${provider} answered the request for a token with status ${status}.`)
  if (status >= 300 && status < 400)
    throw unavailable(`${provider} answered the request for a token with a redirect, which is not followed.`)

  const body = parsed(answer)
  const code = body && errorCode(body)
  if (code !== undefined && passing.has(code.toLowerCase()))
    throw unavailable(`${provider} cannot give a token just now.`)
  const isRefusal = body !== undefined && (code !== undefined || status === 400 || status === 401)
  if (isRefusal) {
    const shown = /^[\w.-]{1,64}$/.test(code ?? '') && !secrets.includes(code ?? '') ? String(code) : 'unspecified'
    throw new TokenRefused(shown, `${provider} refused the request for a token (${shown}).`)
  }
  const token = body?.['access_token']
  if (status >= 300 || body === undefined || typeof token !== 'string' || token === '')
    throw unavailable(`${provider} answered the request for a token with something that holds none.`)
  // RFC 9449: such a token is bound to a key, and no request here has a proof of it.
  if (/^dpop$/i.test(String(body['token_type'])))
    throw new TokenRefused('token_type_not_supported', `${provider} gave a token of type DPoP, which needs a proof.`)
  return { ...standard(body), access_token: token }
}

/** Parses the body: JSON of any content type, or a form. */
function parsed({ headers, body }: OutboundResponse): Record<string, unknown> | undefined {
  const text = body.toString('utf8').trim()
  if (text.startsWith('{'))
    try {
      return JSON.parse(text) as Record<string, unknown>
    } catch {
      return undefined
    }
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')
  if (!isForm && !/^(?:access_token|error)=/.test(text)) return undefined
  const form = Object.fromEntries(new URLSearchParams(text))
  return 'access_token' in form || 'error' in form ? form : undefined
}

/** Returns the error code of a refusal: `error` as text (RFC 6749), or as an object with a code. */
function errorCode(body: Record<string, unknown>): string | undefined {
  const { error } = body
  if (typeof error === 'string' && error !== '') return error
  if (typeof error === 'object' && error !== null) {
    const { code, type } = error as Record<string, unknown>
    return [code, type].find((word): word is string => typeof word === 'string' && word !== '') ?? 'unspecified'
  }
  return error === true || body['ok'] === false ? 'unspecified' : undefined
}

function standard({ id_token: _, ...body }: Record<string, unknown>): Record<string, unknown> {
  const { token_type: type, refresh_token: refresh, expires_in: life, scope, ...others } = body
  const seconds = typeof life === 'string' || typeof life === 'number' ? Number(life) : Number.NaN
  return {
    ...others,
    // Many providers omit it, and some send a product name (Salesforce's "Bearer" is not the rule). The provider's file
    // defines how to send the token.
    token_type: typeof type === 'string' && /^bearer$/i.test(type) ? type : 'bearer',
    ...(typeof refresh === 'string' && refresh !== '' && { refresh_token: refresh }),
    // If it is missing, zero or negative, the expiry is unknown.
    ...(seconds > 0 && Number.isFinite(seconds) && { expires_in: seconds }),
    ...(typeof scope === 'string' && { scope }),
    ...(Array.isArray(scope) && { scope: scope.filter((one) => typeof one === 'string').join(' ') }),
  }
}

/** Returns the milliseconds of a `Retry-After` header (RFC 9110, 10.2.3). */
function retryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
