/** Where a sign-in leads without another wish: to the console. */
export const consolePath = '/console'

/**
 * Returns where to go after a sign-in: a path on this service. Returns undefined for anything that could lead elsewhere
 * (another scheme, `//host`, `/\host`, control characters that browsers drop).
 */
export function localPath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 2_000 || !/^\/[\x21-\x7e]*$/.test(text) || /^\/[/\\]|\\/.test(text))
    return undefined
  const base = 'http://here.invalid'
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined
  if (url?.origin !== base || url.pathname.startsWith('//')) return undefined
  return `${url.pathname}${url.search}`
}
