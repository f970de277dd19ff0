import { StandInLimit } from '../tried.ts'

/** Which cookies the stand-in sets: those that a client sends back, others as well, or only others. */
export type CookieKind = 'plain' | 'attributes' | 'none' | 'ended' | 'foreign'

/** Cookies of one sign-in, and what a client sends of them. Written for the stand-in alone (RFC 6265). */
export interface SetCookies {
  /** Returns values of the header `Set-Cookie`. @param named further cookies, by name */
  set(value: string, named: Record<string, string>): string[]
  /** The header `Cookie` of the next request. */
  header(): string | undefined
}

const past = 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'

/** @param urls every URL that must get the cookies */
export function openSetCookies(urls: readonly string[], kind: CookieKind): SetCookies {
  const sent = new Map<string, string>()
  const scope = `Path=/${domainOf(urls)}${urls.every((url) => url.startsWith('https:')) ? '; Secure' : ''}`
  return {
    set(value, named) {
      const all = { session: value, ...named }
      if (kind === 'none') return []
      if (kind === 'ended') return Object.entries(all).map((pair) => `${pair.join('=')}; ${scope}; ${past}`)
      if (kind === 'foreign')
        return Object.entries(all).map((pair) => `${pair.join('=')}; Path=/; Domain=stand-in.example.org`)
      for (const [name, one] of Object.entries(all)) sent.set(name, one)
      const lines = Object.entries(all).map((pair) => `${pair.join('=')}; ${scope}; HttpOnly`)
      if (kind === 'plain') return lines
      sent.set('kept', value)
      return [
        ...lines,
        `kept=${value}; ${scope}; HttpOnly; SameSite=Lax; Max-Age=86400; Expires=Fri, 31 Dec 2100 23:59:59 GMT`,
        `dropped=${value}; ${scope}`,
        `dropped=; ${scope}; ${past}`,
        `zero=${value}; ${scope}; Max-Age=0`,
        `ended=${value}; ${scope}; ${past}`,
        `elsewhere=${value}; Path=/elsewhere-of-the-stand-in`,
        `foreign=${value}; Path=/; Domain=stand-in.example.org`,
      ]
    },
    header: () => (sent.size === 0 ? undefined : [...sent].map((pair) => pair.join('=')).join('; ')),
  }
}

/** The attribute `Domain` that makes a cookie go to all of the hosts. */
function domainOf(urls: readonly string[]): string {
  const hosts = [...new Set(urls.map((url) => new URL(url).hostname))]
  if (hosts.length < 2) return ''
  const [first = [], ...others] = hosts.map((host) => host.split('.').toReversed())
  const end = first.findIndex((label, at) => others.some((other) => other[at] !== label))
  if (end === 0 || end === 1) throw new StandInLimit('the hosts of the sign-in and of the API share no domain')
  return `; Domain=${first
    .slice(0, end < 0 ? undefined : end)
    .toReversed()
    .join('.')}`
}
