import { isIP } from 'node:net'

/** What a mail address may have before its @: the rule of HTML's `<input type="email">`. */
const localPart = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/
const hostLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * A mail address in the one form in which addresses are stored and compared: lower case, the host in ASCII. Undefined
 * when it is none. Nothing is removed that some mail server may tell apart (`+tag`, dots).
 */
export function normaliseEmail(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at).trimStart().toLowerCase()
  const host = at < 0 ? undefined : hostOf(text.slice(at + 1).trimEnd())
  if (host === undefined || !localPart.test(local)) return undefined
  const email = `${local}@${host}`
  return email.length > 254 ? undefined : email
}

/**
 * The domain of a mail address, of a URL, or itself, without `www.` (contract 3.2); undefined when there is none. A
 * name without a dot, or an IP address, is no domain.
 */
export function normaliseDomain(text: string): string | undefined {
  const trimmed = text.trim()
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
  // A URL may hold an @ too, before or after its host.
  const host = isUrl
    ? URL.canParse(trimmed)
      ? hostOf(new URL(trimmed).hostname)
      : undefined
    : hostOf(trimmed.slice(trimmed.lastIndexOf('@') + 1))
  const domain = host?.replace(/^www\./, '')
  return domain?.includes('.') ? domain : undefined
}

/** A host name in lower-case ASCII; undefined when it is none. */
function hostOf(text: string): string | undefined {
  if (text === '' || text.length > 1_000 || /[/\\?#@:%\s]/.test(text) || !URL.canParse(`http://${text}`))
    return undefined
  const host = new URL(`http://${text}`).hostname.replace(/\.$/, '')
  if (host.length > 253 || isIP(host) !== 0) return undefined
  return host.split('.').every((label) => hostLabel.test(label)) ? host : undefined
}
