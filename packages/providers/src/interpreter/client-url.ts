import type { ProviderEntry } from '../catalogue/entry.ts'
import { HostNotAllowed } from '../provider-error.ts'
import { connectionScope } from './connection-scope.ts'
import { type ConnectionValues, providerUrl } from './connection-values.ts'
import { fitsHost } from './host-pattern.ts'
import { textOf } from './scope.ts'
import { parseTemplate } from './template.ts'

/**
 * Returns the variable that chooses the host of a URL: the last one in its host, unless a literal domain follows it,
 * below which all hosts are the provider's (the check of the file sees to that). Undefined where the file fixes the
 * host.
 */
export function hostVariable(template: string): string | undefined {
  let last: string | undefined
  let after = ''
  for (const part of parseTemplate(template).parts) {
    const isFirst = last === undefined && after === ''
    if (typeof part !== 'string') {
      last = part.name
      after = ''
      continue
    }
    const text = isFirst ? part.replace(/^https?:\/\//, '') : part
    const end = text.search(/[/?#]/)
    after += end < 0 ? text : text.slice(0, end)
    if (end >= 0) break
  }
  return last === undefined || fixedDomain.test(after.replace(/:\d+$/, '')) ? undefined : last
}

/** A domain of at least two labels, and the dot in front of it. */
const fixedDomain = /^(?:\.[a-z0-9-]+){2,}$/i

/**
 * Returns a URL of the provider's file at which the provider app authenticates. Its host is one that the file fixes or
 * lists, or one that the builder allowed for the app; what a customer sent can never choose another.
 *
 * @param allowedHosts of the provider app
 * @throws InvalidInputs naming the values that are missing or do not fit; HostNotAllowed naming the value that names
 *   another host
 */
export function clientUrl(
  entry: ProviderEntry,
  template: string,
  values: ConnectionValues,
  allowedHosts: readonly string[],
): URL {
  const url = providerUrl(entry, template, values)
  const name = hostVariable(template)
  if (name === undefined) return url
  const value = textOf(connectionScope(entry, values))(name) ?? ''
  const host = (URL.canParse(value) ? new URL(value).hostname : value).toLowerCase()
  const isPlain = url.port === '' && url.protocol === 'https:'
  const isItsEnd = url.hostname === host || url.hostname.endsWith(`.${host}`)
  if (isPlain && isItsEnd && fitsHost(hostsOf(entry, name) ?? [], host)) return url
  if (isAllowedHost(allowedHosts, url)) return url
  throw new HostNotAllowed([
    { name, problem: 'invalid', detail: `The provider app may not be used at the host ${url.host}.` },
  ])
}

/** Whether the builder allowed the host of a URL for a provider app. */
export function isAllowedHost(allowedHosts: readonly string[], url: URL): boolean {
  if (url.port === '' && url.protocol === 'https:' && fitsHost(allowedHosts, url.hostname)) return true
  // A server of the same machine, of somebody who tries things out.
  return allowedHosts.includes(url.host) && /^(localhost|127\.0\.0\.1)$/.test(url.hostname)
}

/** The hosts that a declared value may name; undefined where the file does not say. */
export function hostsOf(
  {
    inputs,
    variables = [],
    postAuthentication = [],
  }: Pick<ProviderEntry, 'inputs' | 'variables' | 'postAuthentication'>,
  name: string,
): readonly string[] | undefined {
  return [...inputs, ...variables, ...postAuthentication].find((value) => value.name === name)?.hosts
}
