import type { ObjectSet, ProviderObject } from '../catalogue/format/provider-file.ts'

/** Names that one pattern serves are the customer's: so many are kept. */
const namesMax = 200

const made = new WeakMap<ProviderObject, Map<string, ProviderObject>>()

/**
 * Returns an object that the file knows by a pattern, for a name: what the groups of the pattern find in it are
 * variables of the object.
 */
export function namedObject({ match, object }: ObjectSet['others'][number], name: string): ProviderObject {
  if (match.groupNames.length === 0) return object
  const known = made.get(object) ?? new Map<string, ProviderObject>()
  made.set(object, known)
  // One object for a name: requests are compiled once for each.
  const found = known.get(name) ?? { ...object, set: { ...object.set, ...match.groups(name) } }
  if (known.size >= namesMax) known.clear()
  known.set(name, found)
  return found
}
