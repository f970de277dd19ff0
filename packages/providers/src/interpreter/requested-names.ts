import type { Read } from '../catalogue/format/read.ts'
import { pathNames } from './path.ts'

/** The provider's own field that a further field of the record is taken from; any other name as it is. */
export function fieldOf(field: string, lift: NonNullable<Read['lift']>): string {
  const from = Object.entries(lift).find(([name]) => lower(name) === lower(field))?.[1]
  const path = typeof from === 'object' ? (from.list ?? from.path) : from
  return path === undefined ? field : (pathNames(path)?.[0] ?? field)
}

/**
 * The provider's own field that a nested name lies in: `$['properties']['email']` is `email` where `properties` is
 * flattened.
 */
export function nameToAskFor(field: string, flatten: readonly string[]): string {
  const names = field.startsWith('$[') ? pathNames(field) : undefined
  if (names === undefined) return field
  const [first = field, second] = names
  return second !== undefined && flatten.includes(first) ? second : first
}

/** Each name once: query languages refuse a field that is requested twice, and case counts for none of them. */
export function withoutTwins(names: readonly string[]): string[] {
  const byName = new Map<string, string>()
  for (const name of names) if (!byName.has(lower(name))) byName.set(lower(name), name)
  return [...byName.values()]
}

export function isWanted(fields: readonly string[], name: string): boolean {
  return fields.some((field) => lower(field) === lower(name))
}

export function lower(name: string): string {
  return name.toLowerCase()
}
