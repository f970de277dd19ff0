type Headers = Record<string, string | string[] | undefined>

const secretPattern = /^[A-Za-z0-9_-]{43}$/

/** A cookie of this host that holds a secret of 256 bits. */
export interface SecretCookie {
  /** Public origin of the service. */
  publicUrl: string
  /** Without the prefix that its name has over TLS. */
  name: string
}

/** `__Host-`: this host set it over TLS, not another one of the same domain. */
function nameOf({ publicUrl, name }: SecretCookie): string {
  return `${publicUrl.startsWith('https:') ? '__Host-' : ''}${name}`
}

/**
 * Returns a `Set-Cookie` value. Lax, so that browsers send it when they follow a link from a mail, a terminal or a
 * provider.
 */
export function setSecretCookie(cookie: SecretCookie, value: string, maxAgeSeconds: number): string {
  const secure = cookie.publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${nameOf(cookie)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`
}

/** Returns the secret that the browser sent; undefined when it is missing or malformed. */
export function readSecretCookie(headers: Headers, cookie: SecretCookie): string | undefined {
  return readCookie(headers, nameOf(cookie))
}

/** Returns the raw value of a cookie. */
export function readCookie(headers: Headers, name: string): string | undefined {
  const values = (headers['cookie']?.toString() ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  // Duplicates are ambiguous.
  const [value, ...others] = values
  return value !== undefined && others.length === 0 && secretPattern.test(value) ? value : undefined
}
