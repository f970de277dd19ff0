import {
  type CapabilitySupport,
  type Catalogue,
  type CatalogueEntry,
  type ModuleEntry,
  nearest,
} from '@mortise/manifest'

/** What the command line knows of a provider when it is offline. Capabilities are initials: `rw` reads and writes. */
export interface PackedProvider {
  displayName: string
  authType: string
  implemented: string
  /** What the provider can do besides. */
  undescribed?: string
  modules?: Record<string, { implemented: string; undescribed?: string }>
  defaultModule?: string
  /** All objects, where the list is closed. */
  objects?: string[]
  /** Objects that can be written and not read. */
  onlyWritten?: string[]
  reportsDeletions?: string[]
  signalsChanges?: string[]
  mcp?: object
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
    implemented,
    undescribed,
    modules,
    defaultModule,
    objects,
    onlyWritten,
    reportsDeletions,
    signalsChanges,
    mcp,
  }: PackedProvider,
) {
  const entry: CatalogueEntry = {
    name,
    authType,
    ...support({ implemented, ...(undescribed !== undefined && { undescribed }) }),
    modules: Object.fromEntries(Object.entries(modules ?? {}).map(([id, module]) => [id, support(module)])),
    ...(defaultModule !== undefined && { defaultModule }),
    ...(objects && { objects }),
    ...(onlyWritten && { onlyWritten }),
    ...(reportsDeletions && { reportsDeletions }),
    ...(signalsChanges && { signalsChanges }),
    ...(mcp && { mcp }),
  }
  return entry
}

const actions = { read: 'r', write: 'w', subscribe: 's', proxy: 'p' } as const

function support({ implemented, undescribed }: Pick<PackedProvider, 'implemented' | 'undescribed'>): ModuleEntry {
  const named = Object.keys(actions) as (keyof CapabilitySupport)[]
  return {
    implemented: capabilities(implemented),
    ...(undescribed !== undefined && { undescribed: named.filter((name) => undescribed.includes(actions[name])) }),
  }
}

function capabilities(letters: string): CapabilitySupport {
  const can = (action: keyof CapabilitySupport) => letters.includes(actions[action])
  return { read: can('read'), write: can('write'), subscribe: can('subscribe'), proxy: can('proxy') }
}

function entryThatCanAll(name: string): CatalogueEntry {
  const all = capabilities('rwsp')
  const module = { implemented: all }
  // The modules are unknown, so every name is valid.
  const modules = new Proxy<CatalogueEntry['modules']>(
    {},
    { get: () => module, getOwnPropertyDescriptor: () => ({ value: module, enumerable: true, configurable: true }) },
  )
  return { name, authType: 'custom', implemented: all, modules, isAssumed: true, mcp: {} }
}
