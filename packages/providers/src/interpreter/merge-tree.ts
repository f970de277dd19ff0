import { isObject } from './path.ts'

/**
 * `changes` over `base`: objects are merged key by key, null removes a key, everything else replaces. Changes neither.
 */
export function mergeTree<T extends object>(base: T, changes: object): T {
  return mergeValues(base, changes, false) as T
}

/** Both changes as one: what `mergeTree` makes of a base with the first and then the second. */
export function joinChanges(first: object, second: object): object {
  return mergeValues(first, second, true) as object
}

/** @param keepsNull whether a null stays, as part of changes, in place of removing the key */
function mergeValues(base: unknown, changes: unknown, keepsNull: boolean): unknown {
  if (!isObject(base) || !isObject(changes)) return changes
  // A tagged shape (paging, a value with `$value`) is replaced as a whole when its tag changes.
  if (differs(base, changes, 'kind') || '$value' in changes || '$value' in base) return changes
  const merged = new Map(Object.entries(base))
  for (const [key, change] of Object.entries(changes)) {
    if (change === null && !keepsNull) merged.delete(key)
    else merged.set(key, mergeValues(merged.get(key), change, keepsNull))
  }
  return Object.fromEntries(merged)
}

function differs(base: Record<string, unknown>, changes: Record<string, unknown>, tag: string): boolean {
  return tag in changes && base[tag] !== changes[tag]
}
