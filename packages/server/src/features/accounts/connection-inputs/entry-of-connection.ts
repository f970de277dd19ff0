import { type Catalogue, NoConnector, type ProviderEntry, withScheme } from '@mortise/providers'
import { brokenFile, hasBrokenFile } from '../../integrations/catalogue/index.ts'

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

/** Returns the error that says why the catalog does not have the provider of a connection. */
export function missingProvider(catalogue: Catalogue, provider: string): NoConnector {
  const why = hasBrokenFile(catalogue, provider)
    ? `${brokenFile.detail(provider)} ${brokenFile.remedy}`
    : `There is no provider file of ${JSON.stringify(provider)} any more. Put it back into a folder of MORTISE_PROVIDERS_DIR; no restart is needed.`
  return new NoConnector(provider, undefined, why)
}
