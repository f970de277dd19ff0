import { isIP } from 'node:net'

/** Allowed local part of an email address: the rule of HTML's `<input type="email">`. */
const localPart = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/
const hostLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Normalizes an email address to the form in which addresses are stored and compared: lower case, the host in ASCII.
 * Returns undefined if it is not valid. Keeps parts that some mail servers distinguish (`+tag`, dots).
 */
export function normalizeEmail(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at).trimStart().toLowerCase()
  const host = at < 0 ? undefined : hostOf(text.slice(at + 1).trimEnd())
  if (host === undefined || !localPart.test(local)) return undefined
  const email = `${local}@${host}`
  return email.length > 254 ? undefined : email
}

/**
 * Returns the domain of an email address, URL or domain name, without `www.` (contract 3.2). Returns undefined if there
 * is none, as for a name without a dot or an IP address.
 */
export function normalizeDomain(text: string): string | undefined {
  const trimmed = text.trim()
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
  // A URL may contain an @ before or after its host, too.
  const host = isUrl
    ? URL.canParse(trimmed)
      ? hostOf(new URL(trimmed).hostname)
      : undefined
    : hostOf(trimmed.slice(trimmed.lastIndexOf('@') + 1))
  const domain = host?.replace(/^www\./, '')
  return domain?.includes('.') ? domain : undefined
}

/** Returns a host name in lower-case ASCII; undefined if it is not valid. */
function hostOf(text: string): string | undefined {
  if (text === '' || text.length > 1_000 || /[/\\?#@:%\s]/.test(text) || !URL.canParse(`http://${text}`))
    return undefined
  const host = new URL(`http://${text}`).hostname.replace(/\.$/, '')
  if (host.length > 253 || isIP(host) !== 0) return undefined
  return host.split('.').every((label) => hostLabel.test(label)) ? host : undefined
}
