import { type Catalogue, type ProviderEntry, withScheme } from '@mortise/providers'

/**
 * Returns the provider of a connection, with the scheme alone that the connection authenticates by. Where the
 * connection names none, or one that the file has no longer, all schemes are there and the first of a kind counts.
 */
export function entryOfConnection(
  catalogue: Pick<Catalogue, 'find'>,
  { provider, scheme_name: name }: { provider: string; scheme_name?: string | null },
): ProviderEntry | undefined {
  const entry = catalogue.find(provider)
  return (entry && name && withScheme(entry, name)) || entry
}
