import mailProviders from 'email-providers/all.json' with { type: 'json' }
import { getPublicSuffix } from 'tldts'

/** Mail hosts that the list of the package lacks. */
const furtherMailHosts = [
  'duck.com',
  'fastmail.fm',
  'gmx.ch',
  'posteo.de',
  'rambler.ru',
  'temp-mail.org',
  'tuta.com',
  'tuta.io',
  'users.noreply.github.com',
  'ya.ru',
]
const mailHosts = new Set([...mailProviders, ...furtherMailHosts])

/**
 * Whether a domain belongs to no single organization: a public suffix (`co.uk`, `github.io`; publicsuffix.org, both
 * sections), or a mail host where anyone can have an address.
 */
export function isPublicDomain(domain: string): boolean {
  return mailHosts.has(domain) || getPublicSuffix(domain, { allowPrivateDomains: true }) === domain
}
