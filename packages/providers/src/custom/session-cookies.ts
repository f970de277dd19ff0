import { Cookie, CookieJar } from 'tough-cookie'
import type { ProviderHttpResponse } from '../connector.ts'
import { CustomAuthRefused } from './custom-auth-refused.ts'

/** The cookies of a sign-in. `tough-cookie` decides by RFC 6265 which ones are kept, and where each is sent. */
export interface SessionCookies {
  /**
   * Keeps the cookies that the response from this URL sets. Cookies that a browser would not keep are ignored: for
   * another host, for a public suffix, malformed, or too long.
   *
   * @throws CustomAuthRefused if there are too many
   */
  keep(url: string, headers: ProviderHttpResponse['headers']): void
  /** Returns the header `Cookie` for a request to this URL; undefined if no cookie belongs there. */
  headerFor(url: string): string | undefined
  /** Returns the value of the cookie of this name that a request to the URL would carry. */
  valueOf(url: string, name: string): string | undefined
  /** Returns the values of all cookies that have not ended. */
  values(): string[]
  /** Returns the cookies as text, to be stored encrypted. */
  stored(): string
}

/** Longest cookie (RFC 6265, 6.1) in characters, maximum number of cookies, and of characters of all of them. */
const cookieLengthMax = 4_096
const cookiesMax = 50
const lengthMax = 16_000

/** Control characters other than a tab, which no header may have. */
const controls = /(?!\t)\p{Cc}/u

/** @param stored what `stored` returned */
export function openCookies(stored?: string): SessionCookies {
  const jar = stored === undefined ? new CookieJar() : CookieJar.deserializeSync(stored)
  // The jar keeps a cookie that has ended until it is looked up.
  const all = () => (jar.serializeSync()?.cookies ?? []).filter((cookie) => (Cookie.fromJSON(cookie)?.TTL() ?? 0) > 0)
  return {
    keep(url, headers) {
      for (const line of (headers['set-cookie'] ?? '').split('\n')) {
        if (line === '' || line.length > cookieLengthMax || controls.test(line)) continue
        jar.setCookieSync(line, url, { ignoreError: true })
      }
      const kept = all()
      const length = kept.reduce((sum, { key = '', value = '' }) => sum + String(key).length + String(value).length, 0)
      if (kept.length > cookiesMax || length > lengthMax)
        throw new CustomAuthRefused('unusable_answer', 'The provider set more cookies than a request can carry.')
    },
    headerFor: (url) => jar.getCookieStringSync(url) || undefined,
    valueOf: (url, name) => jar.getCookiesSync(url).find(({ key }) => key === name)?.value || undefined,
    values: () => all().flatMap(({ value }) => (typeof value === 'string' && value !== '' ? [value] : [])),
    stored: () => JSON.stringify(jar.serializeSync()),
  }
}
