import { buildProviderFile } from './build-provider-file.ts'
import { catalogueKey, type Part, readCachedCatalogue, writeCachedCatalogue } from './catalogue-cache.ts'
import type { Catalogue, CatalogueFault, ProviderEntry } from './entry.ts'
import type { ProviderFile } from './format/provider-file.ts'
import type { EntryHead } from './make-entry.ts'
import { nearestName } from './nearest-name.ts'
import { openCatalogue, type PackedCatalogue } from './pack-catalogue.ts'
import { readSources, type Source } from './read-sources.ts'

export interface CatalogueOptions {
  /**
   * Folders of the user's files. A file takes the place of an earlier one of its name, and is completed by the built-in
   * one.
   */
  providerDirs?: readonly string[]
  /** Where the compiled catalog is stored from one start to the next; without it, each start compiles the catalog. */
  cacheDir?: string
}

/**
 * Loads the provider files of this package, and the user's over them. A broken file is reported in `faults`. Everything
 * else stays as it was, including the earlier file of that name. With a cache this takes some ten milliseconds: only
 * JSON is parsed, the code that parses and checks YAML is not loaded, and the part that reads a provider's objects is
 * created on first use.
 */
export async function loadCatalogue({ providerDirs = [], cacheDir }: CatalogueOptions = {}): Promise<Catalogue> {
  const { sources, faults } = readSources(providerDirs)
  const builtIn = sources.filter(({ origin }) => origin === 'builtIn')
  const users = sources.filter(({ origin }) => origin === 'user')
  const parts = [await packedPart('built-in', builtIn, [], cacheDir)]
  if (users.length > 0) parts.push(await packedPart('user', users, builtIn, cacheDir))
  return catalogueOf(parts, faults)
}

/** Returns a compiled part of the catalog, from the cache if possible. */
export async function packedPart(
  part: Part,
  sources: readonly Source[],
  beneath: readonly Source[],
  cacheDir: string | undefined,
): Promise<PackedCatalogue> {
  const key = catalogueKey([...beneath, ...sources])
  const cached = cacheDir === undefined ? undefined : readCachedCatalogue(cacheDir, part, key)
  if (cached !== undefined) return cached
  const { packApart } = await import('./pack-apart.ts')
  const bytes = await packApart({ sources, beneath, key })
  if (cacheDir !== undefined) writeCachedCatalogue(cacheDir, part, key, bytes)
  const opened = openCatalogue(bytes, key)
  if (opened === undefined) throw new Error('The packed catalog cannot be opened.')
  return opened
}

function catalogueOf(parts: readonly PackedCatalogue[], readFaults: readonly CatalogueFault[]): Catalogue {
  const entries = parts.flatMap((part) => part.heads.map((head) => entryOf(head, part)))
  return catalogueOfEntries(entries, [...readFaults, ...parts.flatMap((part) => part.faults)])
}

/** Returns the catalog of these entries. A later entry replaces an earlier one of its name. */
export function catalogueOfEntries(all: readonly ProviderEntry[], faults: readonly CatalogueFault[]): Catalogue {
  const entries = new Map(all.map((entry) => [entry.name, entry]))
  const sorted = [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const names = sorted.map(({ name }) => name)
  return {
    version: {},
    faults: [...faults].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0)),
    find: (name) => entries.get(name),
    list: () => [...sorted],
    suggest: (name) => nearestName(name, names),
  }
}

export function entryOf(head: EntryHead, part: PackedCatalogue): ProviderEntry {
  let file: ProviderFile | undefined
  return {
    ...head,
    get file() {
      if (file !== undefined) return file
      const { path, ...reading } = part.readingOf(head.name)
      file = buildProviderFile({ name: head.name, ...reading }, path).file
      return file
    },
  }
}
