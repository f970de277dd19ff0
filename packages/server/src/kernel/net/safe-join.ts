/** A path that would leave, or could be read as leaving, the host it was declared for. */
export class UnsafePath extends Error {
  override name = 'UnsafePath'
}

/**
 * Joins a base URL and a path with its query so that the answer stays on the base's origin and below its path.
 *
 * `new URL(path, base)` follows `//evil.com`, and joining strings turns `.evil.com` or `@evil.com` into another host;
 * here the path must begin with exactly one `/`, may hold no dot segment in any spelling, and the origin is compared at
 * the end.
 *
 * @param base absolute http(s) URL; its own query and fragment are dropped
 * @param pathAndQuery begins with `/`; may carry `?query`, not `#fragment`
 * @throws UnsafePath with a sentence fit for a user
 */
export function safeJoin(base: string | URL, pathAndQuery: string): URL {
  const root = new URL(base)
  if (!pathAndQuery.startsWith('/')) throw new UnsafePath('The path must begin with "/".')
  if (/^\/[/\\]/.test(pathAndQuery)) throw new UnsafePath('The path must begin with one "/" only.')
  if (hasUnsafeCharacter(pathAndQuery)) {
    throw new UnsafePath('The path holds a space, a backslash or a control character; percent-encode it.')
  }
  if (pathAndQuery.includes('#')) throw new UnsafePath('The path holds a "#"; percent-encode it.')
  const queryAt = pathAndQuery.indexOf('?')
  const path = queryAt < 0 ? pathAndQuery : pathAndQuery.slice(0, queryAt)
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    throw new UnsafePath('The path holds a "." or ".." segment.')
  }

  const joined = new URL(root)
  joined.pathname = root.pathname.replace(/(?<!\/)\/+$/, '') + path
  joined.search = queryAt < 0 ? '' : pathAndQuery.slice(queryAt)
  joined.hash = ''
  if (joined.origin !== root.origin) throw new UnsafePath('The path leaves the host it belongs to.')
  return joined
}

/** A space, a control character or a backslash: URL parsers drop, turn or keep them, each its own way. */
function hasUnsafeCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= 0x20 || code === 0x7f || code === 0x5c) return true
  }
  return false
}

const hostValue = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/

/**
 * Checks a value that a user gives for a variable in the host of a URL template (`https://{{workspace}}.example.com`),
 * and that the host it makes still ends with the template's own literal suffix.
 *
 * @param value lower-case letters, digits, inner hyphens and dots: a label, or several
 * @param host the host that came of it
 * @param suffix what follows the variable in the template, such as `.example.com`; empty when the variable is the whole
 *   host
 * @throws UnsafePath with a sentence fit for a user
 */
export function assertHostValue(value: string, host: string, suffix: string): void {
  if (value.length > 253 || !hostValue.test(value)) {
    throw new UnsafePath('The value may hold lower-case letters, digits, hyphens and dots only, as a host name does.')
  }
  if (!host.endsWith(suffix)) {
    throw new UnsafePath('The value leads to another host than the provider declares.')
  }
}
