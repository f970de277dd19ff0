/**
 * Schemes of programs that have none with a dot. Any other may belong to a program that does something else with the
 * address, so a list is safer than a rule.
 */
const knownSchemes = new Set(['claude', 'cursor', 'vscode', 'vscode-insiders', 'vscodium', 'windsurf', 'zed'])

/**
 * Returns whether clients may use a redirect URI: https, http of this computer (RFC 8252, 7.3), or a private-use scheme
 * (7.1). Printable ASCII only, so that it is a header as it stands.
 */
export function isRedirectUri(text: string): boolean {
  if (text.length > 2_000 || /[^\x21-\x7e]|[#\\"<>]/.test(text)) return false
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '') return false
  if (url.protocol === 'https:') return true
  if (url.protocol === 'http:') return isLoopback(url)
  const scheme = url.protocol.slice(0, -1)
  return scheme.includes('.') || knownSchemes.has(scheme)
}

/** Compares exactly. Only the port of this computer may differ, because programs take one that is free (RFC 8252). */
export function isSameRedirectUri(registered: string, requested: string): boolean {
  if (registered === requested) return true
  const [one, other] = [URL.parse(registered), URL.parse(requested)]
  if (!one || !other || one.protocol !== 'http:' || !isLoopback(one)) return false
  one.port = ''
  other.port = ''
  return one.href === other.href
}

/** Returns what a person recognizes of a redirect URI: its host, or the scheme of a program. */
export function redirectTarget(redirectUri: string): { host: string; isLocal: boolean } {
  const url = new URL(redirectUri)
  if (url.protocol === 'https:') return { host: url.host, isLocal: false }
  return { host: url.protocol === 'http:' ? url.hostname : url.protocol, isLocal: true }
}

/** Returns a redirect URI with parameters of the response. */
export function withParameters(redirectUri: string, parameters: Record<string, string | undefined>): string {
  const defined = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(defined)}`
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
}
