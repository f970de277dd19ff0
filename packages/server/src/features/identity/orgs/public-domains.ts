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
/**
 * Whether a domain belongs to no single organization: a public suffix (`co.uk`, `github.io`; publicsuffix.org, both
 * sections), or a mail host where anyone can have an address.
 */
export async function isPublicDomain(domain: string): Promise<boolean> {
  // Both lists take megabytes, so they are loaded only when a domain is claimed.
  const [{ default: mailProviders }, { getPublicSuffix }] = await Promise.all([
    import('email-providers/all.json', { with: { type: 'json' } }),
    import('tldts'),
  ])
  const mailHosts = new Set([...mailProviders, ...furtherMailHosts])
  return mailHosts.has(domain) || getPublicSuffix(domain, { allowPrivateDomains: true }) === domain
}
