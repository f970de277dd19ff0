import type { ProviderEntry } from './entry.ts'
import type { Authentication } from './format/authentication.ts'

/** What a way to authenticate is called where one is chosen: as its file says, else as its kind. */
export function schemeName({ schemeName: name, scheme }: Authentication): string {
  return name ?? scheme
}

/** Names of all ways to authenticate, in order of preference. */
export function schemeNames({ authentication }: Pick<ProviderEntry, 'authentication'>): string[] {
  return [...new Set(authentication.map(schemeName))]
}

const narrowed = new WeakMap<ProviderEntry, Map<string, ProviderEntry>>()

/**
 * Returns the entry with this way to authenticate alone, so that whatever asks for the first of a kind finds it. The
 * same object each time, as handles of connections are kept for it. Undefined where there is no such name.
 */
export function withScheme(entry: ProviderEntry, name: string): ProviderEntry | undefined {
  const found = narrowed.get(entry)?.get(name)
  if (found !== undefined) return found
  const scheme = entry.authentication.find((one) => schemeName(one) === name)
  if (scheme === undefined) return undefined
  const known = narrowed.get(entry) ?? new Map<string, ProviderEntry>()
  narrowed.set(entry, known)
  // Descriptors, because the part that reads objects is created on first use.
  const made = Object.defineProperties({} as ProviderEntry, {
    ...Object.getOwnPropertyDescriptors(entry),
    authentication: { value: [scheme], enumerable: true },
  })
  known.set(name, made)
  return made
}
