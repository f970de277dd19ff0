import { buildProviderFile } from './build-provider-file.ts'
import { readBuiltCatalogue } from './built-catalogue.ts'
import { builtInKey, type Part, readCachedCatalogue, userKey, writeCachedCatalogue } from './catalogue-cache.ts'
import type { Catalogue, CatalogueFault, ProviderEntry } from './entry.ts'
import type { ProviderFile } from './format/provider-file.ts'
import type { EntryHead } from './make-entry.ts'
import { nearestName } from './nearest-name.ts'
import type { PackRequest } from './pack-apart.ts'
import { openCatalogue, type PackedCatalogue, withKey } from './pack-catalogue.ts'
import { readBuiltInSources, readUserSources, type Source } from './read-sources.ts'

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
  const builtIn = await builtInPart(cacheDir)
  const { sources, faults } = readUserSources(providerDirs)
  const parts = [builtIn.part]
  if (sources.length > 0) parts.push(await userPart(sources, builtIn.key, cacheDir))
  return catalogueOf(parts, [...builtIn.faults, ...faults])
}

/** The compiled provider files of this package. */
export interface BuiltInPart {
  part: PackedCatalogue
  key: string
  /** Files that could not be read. */
  faults: readonly CatalogueFault[]
}

/**
 * Returns the compiled files of this package, from the cache if possible. Then none of them is read. The first start of
 * a build finds what the build compiled, which the cache then has.
 */
export async function builtInPart(cacheDir: string | undefined): Promise<BuiltInPart> {
  const key = builtInKey()
  const cached = cacheDir === undefined ? undefined : readCachedCatalogue(cacheDir, 'built-in', key)
  if (cached !== undefined) return { part: cached, key, faults: [] }
  const { sources, faults } = readBuiltInSources()
  const built = faults.length > 0 ? undefined : readBuiltCatalogue(sources)
  if (built !== undefined) {
    if (cacheDir !== undefined) writeCachedCatalogue(cacheDir, 'built-in', key, withKey(built.packed, key))
    return { part: built.part, key, faults }
  }
  // A catalog without what could not be read is not stored: it may be readable at the next start.
  const part = await compiledPart({ sources, beneath: [], key }, 'built-in', faults.length > 0 ? undefined : cacheDir)
  return { part, key, faults }
}

/** Returns compiled files of a user, from the cache if possible; `beneath` is the key of those of this package. */
export async function userPart(
  sources: readonly Source[],
  beneath: string,
  cacheDir: string | undefined,
): Promise<PackedCatalogue> {
  const key = userKey(beneath, sources)
  const cached = cacheDir === undefined ? undefined : readCachedCatalogue(cacheDir, 'user', key)
  return cached ?? compiledPart({ sources, beneath: readBuiltInSources().sources, key }, 'user', cacheDir)
}

async function compiledPart(request: PackRequest, part: Part, cacheDir: string | undefined): Promise<PackedCatalogue> {
  const { packApart } = await import('./pack-apart.ts')
  const bytes = await packApart(request)
  if (cacheDir !== undefined) writeCachedCatalogue(cacheDir, part, request.key, bytes)
  const opened = openCatalogue(bytes, request.key)
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
