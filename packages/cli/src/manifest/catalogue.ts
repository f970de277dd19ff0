import { type CapabilitySupport, type Catalogue, type CatalogueEntry, nearest } from '@mortise/manifest'

/** What the command line knows of a provider when it is offline. Capabilities are initials: `rw` reads and writes. */
export interface PackedProvider {
  displayName: string
  authType: string
  support: string
  implemented: string
  modules?: Record<string, { support: string; implemented: string }>
  defaultModule?: string
  /** All objects, where the list is closed. */
  objects?: string[]
  /** Objects that can be written and not read. */
  onlyWritten?: string[]
  reportsDeletions?: string[]
  signalsChanges?: string[]
  /** Objects that this release reads, by module (`''` where there are none). */
  readable?: Record<string, string[]>
  /** Fields of objects, where they are the same for everybody: by module, by object. */
  fields?: Record<string, Record<string, string[]>>
}
export type PackedCatalogue = Record<string, PackedProvider>

/** The providers of the release, by name. */
export async function packedProviders(): Promise<PackedCatalogue> {
  return (await import('../generated/catalogue.json', { with: { type: 'json' } })).default as PackedCatalogue
}

/**
 * Returns the catalog that `validateManifest` uses, without a service.
 *
 * @param ownProviders names of providers from the user's own provider files: assumed to support everything
 */
export async function offlineCatalogue(ownProviders: readonly string[] = []): Promise<Catalogue> {
  const packed = new Map(Object.entries(await packedProviders()))
  const own = new Set(ownProviders)
  return {
    find(name) {
      if (own.has(name)) return entryThatCanAll(name)
      const provider = packed.get(name)
      return provider && unpack(name, provider)
    },
    suggest: (name) => nearest(name, [...packed.keys(), ...own]),
  }
}

/** For a manifest that the service has validated: every provider exists and supports everything. */
export const trustingCatalogue: Catalogue = { find: (name) => entryThatCanAll(name) }

function unpack(
  name: string,
  {
    authType,
    support,
    implemented,
    modules,
    defaultModule,
    objects,
    onlyWritten,
    reportsDeletions,
    signalsChanges,
  }: PackedProvider,
) {
  const entry: CatalogueEntry = {
    name,
    authType,
    support: capabilities(support),
    implemented: capabilities(implemented),
    modules: Object.fromEntries(
      Object.entries(modules ?? {}).map(([id, module]) => [
        id,
        { support: capabilities(module.support), implemented: capabilities(module.implemented) },
      ]),
    ),
    ...(defaultModule !== undefined && { defaultModule }),
    ...(objects && { objects }),
    ...(onlyWritten && { onlyWritten }),
    ...(reportsDeletions && { reportsDeletions }),
    ...(signalsChanges && { signalsChanges }),
  }
  return entry
}

function capabilities(letters: string): CapabilitySupport {
  const can = (letter: string) => letters.includes(letter)
  return { read: can('r'), write: can('w'), subscribe: can('s'), proxy: can('p') }
}

function entryThatCanAll(name: string): CatalogueEntry {
  const all = capabilities('rwsp')
  const module = { support: all, implemented: all }
  // The modules are unknown, so every name is valid.
  const modules = new Proxy<CatalogueEntry['modules']>(
    {},
    { get: () => module, getOwnPropertyDescriptor: () => ({ value: module, enumerable: true, configurable: true }) },
  )
  return { name, authType: 'custom', support: all, implemented: all, modules }
}
