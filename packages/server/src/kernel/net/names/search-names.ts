import { readFileSync } from 'node:fs'

/** How the system completes short names (resolv.conf, `search` and `ndots`). */
export interface SearchRule {
  domains: string[]
  /** A name with fewer dots is tried in the domains first. */
  dots: number
}

const domainsMax = 8
const dotsMax = 15

/**
 * Reads the search rule from the text of a resolv.conf. The last `search` or `domain` line counts, as in the C library.
 */
export function parseSearchRule(text: string): SearchRule {
  const rule: SearchRule = { domains: [], dots: 1 }
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.trim().split(/[ \t]+/)
    if (keyword === 'search') rule.domains = values
    else if (keyword === 'domain') rule.domains = values.slice(0, 1)
    else if (keyword === 'options')
      for (const value of values)
        if (/^ndots:\d{1,3}$/.test(value)) rule.dots = Math.min(Number(value.slice('ndots:'.length)), dotsMax)
  }
  // A lone "." turns completion off: there is no domain to try.
  rule.domains = rule.domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== '')
  rule.domains.length = Math.min(rule.domains.length, domainsMax)
  return rule
}

/**
 * The absolute names to query for a host name, in order, as the C library orders them: Kubernetes' `service.namespace`
 * and names inside a Compose network resolve the same way here as everywhere else on the machine.
 */
export function searchNames(hostname: string, { domains, dots }: SearchRule): string[] {
  if (hostname.endsWith('.')) return [hostname.slice(0, -1)]
  const completed = domains.map((domain) => `${hostname}.${domain}`)
  return hostname.split('.').length - 1 >= dots ? [hostname, ...completed] : [...completed, hostname]
}

/** The search rule of this machine. Nothing is completed where there is no resolv.conf (Windows). */
export function systemSearchRule(path = '/etc/resolv.conf'): SearchRule {
  return parseSearchRule(textOf(path))
}

/** A small file of the system; empty where it cannot be read. Synchronous: the thread pool is not to be waited for. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
