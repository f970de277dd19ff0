type Headers = Record<string, string | string[] | undefined>

const secretPattern = /^[A-Za-z0-9_-]{43}$/

/** A cookie of this host that holds a secret of 256 bits. */
export interface SecretCookie {
  /** Origin that the world reaches us at. */
  publicUrl: string
  /** Without the prefix that its name has over TLS. */
  name: string
}

/** `__Host-`: set by this host over TLS, not by another one of the same domain. */
function nameOf({ publicUrl, name }: SecretCookie): string {
  return `${publicUrl.startsWith('https:') ? '__Host-' : ''}${name}`
}

/** A `Set-Cookie` value. Lax, so that links that lead here (from a mail, a terminal, a provider) bring it along. */
export function setSecretCookie(cookie: SecretCookie, value: string, maxAgeSeconds: number): string {
  const secure = cookie.publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${nameOf(cookie)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`
}

/** The secret that the browser sent; undefined for what is none. */
export function readSecretCookie(headers: Headers, cookie: SecretCookie): string | undefined {
  return readCookie(headers, nameOf(cookie))
}

/** The value of a cookie of any name, as it was sent. */
export function readCookie(headers: Headers, name: string): string | undefined {
  const values = (headers['cookie']?.toString() ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  // Which of two would count is a question not to be asked.
  const [value, ...others] = values
  return value !== undefined && others.length === 0 && secretPattern.test(value) ? value : undefined
}
