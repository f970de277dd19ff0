import type { Catalogue, CatalogueFault, ProviderEntry } from './entry.ts'
import { builtInPart, type CatalogueOptions, catalogueOfEntries, entryOf, userPart } from './load-catalogue.ts'
import type { PackedCatalogue } from './pack-catalogue.ts'
import { readUserSources, type Source, signatureOf } from './read-sources.ts'

/** A catalog that follows the user's folders. An entry never changes: its users continue with it. */
export interface LiveCatalogue extends Catalogue {
  /** Stops following. */
  close(): Promise<void>
}

export interface LiveCatalogueOptions extends CatalogueOptions {
  /** Time in milliseconds between two looks at the folders. */
  intervalMs?: number
  /** Called after each change, and with an error when the folders could not be taken over. */
  onChange?: (error?: unknown) => void
}

/**
 * Loads the catalog and keeps it up to date with the user's folders. It polls the folders: notifications of the file
 * system get lost on network and container mounts, and checking a dozen directory entries costs less than a tenth of a
 * millisecond. A change counts once two checks in a row agree, so that a file is not read while it is being written. A
 * file that was still incomplete is read again after its next change. A file that breaks keeps its last valid version
 * in use, and is reported in `faults`. After a deletion, the built-in file of its name applies, or the entry
 * disappears. Unchanged entries stay the same objects.
 */
export async function openLiveCatalogue(options: LiveCatalogueOptions = {}): Promise<LiveCatalogue> {
  const { providerDirs = [], cacheDir, intervalMs = 1_000, onChange = () => {} } = options
  const builtIn = await builtInPart(cacheDir)
  const base = builtIn.part.heads.map((head) => entryOf(head, builtIn.part))
  const goodTexts = new Map<string, string>()
  let known = new Map<string, { entry: ProviderEntry; text: string }>()

  const read = async (): Promise<Catalogue> => {
    const { sources, faults } = readUserSources(providerDirs)
    const written = await packUsers(sources, builtIn.key, cacheDir)
    const broken = new Set([...faults, ...written.faults].map(({ file }) => file))
    const kept = withGoodTexts(sources, faults, broken, goodTexts)
    const used = kept.isSame ? written : await packUsers(kept.sources, builtIn.key, cacheDir)
    known = new Map(used.heads.map((head) => [head.name, entryIn(used, head, known.get(head.name))]))
    const all: CatalogueFault[] = [...builtIn.faults, ...builtIn.part.faults, ...faults, ...written.faults]
    return catalogueOfEntries([...base, ...[...known.values()].map(({ entry }) => entry)], all)
  }

  let signature = signatureOf(providerDirs)
  let current = await read()
  let seen = signature
  let running: Promise<void> | undefined
  const look = async (): Promise<void> => {
    const now = signatureOf(providerDirs)
    const isSettled = now === seen
    seen = now
    if (now === signature || !isSettled) return
    signature = now
    current = await read()
    onChange()
  }
  const timer =
    providerDirs.length === 0
      ? undefined
      : setInterval(() => {
          // One look at a time: compiling takes longer than the interval on a busy machine.
          running ??= look()
            .catch(onChange)
            .finally(() => {
              running = undefined
            })
        }, intervalMs).unref()

  return {
    get version() {
      return current.version
    },
    get faults() {
      return current.faults
    },
    find: (name) => current.find(name),
    list: () => current.list(),
    suggest: (name) => current.suggest(name),
    async close() {
      clearInterval(timer)
      await running
    },
  }
}

const none: PackedCatalogue = {
  heads: [],
  faults: [],
  readingOf: (name) => {
    throw new Error(`There is no provider ${name}.`)
  },
}

async function packUsers(sources: readonly Source[], beneath: string, cacheDir: string | undefined) {
  return sources.length === 0 ? none : userPart(sources, beneath, cacheDir)
}

/** Returns the files with the last valid text in place of a broken one; remembers the valid texts. */
function withGoodTexts(
  sources: readonly Source[],
  unreadable: readonly CatalogueFault[],
  broken: ReadonlySet<string>,
  goodTexts: Map<string, string>,
): { sources: Source[]; isSame: boolean } {
  const there = new Set([...sources, ...unreadable.map(({ file }) => ({ path: file }))].map(({ path }) => path))
  for (const path of goodTexts.keys()) if (!there.has(path)) goodTexts.delete(path)
  for (const { path, text } of sources) if (!broken.has(path)) goodTexts.set(path, text)
  const used = sources.map((source) => ({ ...source, text: goodTexts.get(source.path) ?? source.text }))
  for (const { file } of unreadable) {
    const text = goodTexts.get(file)
    if (text !== undefined) used.push({ path: file, text, origin: 'user' })
  }
  const isSame = used.length === sources.length && used.every(({ text }, at) => text === sources[at]?.text)
  return { sources: used, isSame }
}

/** The entry of a provider: the one that was there, where nothing about it changed. */
function entryIn(
  part: PackedCatalogue,
  head: PackedCatalogue['heads'][number],
  before: { entry: ProviderEntry; text: string } | undefined,
): { entry: ProviderEntry; text: string } {
  const text = JSON.stringify([head, part.readingOf(head.name)])
  return before?.text === text ? before : { entry: entryOf(head, part), text }
}
