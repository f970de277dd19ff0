import { connectionScope } from '../interpreter/connection-scope.ts'
import type { ConnectionValues } from '../interpreter/connection-values.ts'
import { textOf } from '../interpreter/scope.ts'
import { parseTemplate, templateFault } from '../interpreter/template.ts'
import type { ProviderEntry } from './entry.ts'
import { exchangeUrls, requestUrls } from './url-templates.ts'

const known = new WeakMap<ProviderEntry, ReadonlySet<string>>()

/**
 * Returns the names of all values of a connection that decide where its credential is sent: variables in the host, path
 * root or token URL of any request that the entry declares, and what those variables are derived from. A name in doubt
 * is in the set.
 */
export function addressValues(entry: ProviderEntry): ReadonlySet<string> {
  const found = known.get(entry) ?? findAddressValues(entry)
  known.set(entry, found)
  return found
}

/**
 * Returns the address values that differ between two states of a connection, as requests would use them (defaults
 * included).
 */
export function changedAddressValues(
  entry: ProviderEntry,
  before: ConnectionValues,
  after: ConnectionValues,
): string[] {
  const [was, is] = [before, after].map((values) => textOf(connectionScope(entry, values)))
  return [...addressValues(entry)].filter((name) => (was?.(name) ?? '') !== (is?.(name) ?? ''))
}

function findAddressValues(entry: ProviderEntry): Set<string> {
  const urls = [...requestUrls(entry), ...entry.authentication.flatMap(exchangeUrls)]
  const names = new Set(urls.flatMap(headsIn))
  // A value that is requested from the provider may be selected by other values: those decide the address, too.
  for (let size = -1; size !== names.size; ) {
    size = names.size
    for (const { name, request } of entry.postAuthentication ?? []) {
      if (!names.has(name)) continue
      for (const text of Object.values(request?.when ?? {}))
        if (typeof text === 'string') for (const head of headsIn(text)) names.add(head)
    }
  }
  return names
}

/** Returns the first parts of the variables of a text; none if it is not a template, such as a literal of `when`. */
function headsIn(text: string): string[] {
  if (templateFault(text) !== undefined) return []
  return parseTemplate(text).variables.map((name) => name.split('.', 1)[0] ?? name)
}
