import { basename } from 'node:path'
import { completeFile } from './complete-file.ts'
import { didYouMean } from './did-you-mean.ts'
import type { CatalogueFault } from './entry.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'
import { type EntryHead, makeEntry } from './make-entry.ts'
import { readBuiltInFile, readProviderFile } from './read-provider-file.ts'
import type { Source } from './read-sources.ts'
import { shareObjects } from './share-objects.ts'

/** What of a provider file is needed only when the provider is used: objects, and how answers are understood. */
export type Reading = Pick<
  ProviderFileOutline,
  'errors' | 'headers' | 'templates' | 'objects' | 'otherObjects' | 'anyCase' | 'webhooks' | 'stream'
> & {
  path: string
  modules?: Record<
    string,
    Pick<
      NonNullable<ProviderFileOutline['modules']>[string],
      'apiUrl' | 'objects' | 'otherObjects' | 'anyCase' | 'webhooks' | 'stream'
    >
  >
}

/** All provider files, parsed and checked. */
export interface CompiledCatalogue {
  /** Sorted by name. */
  providers: { head: EntryHead; reading: Reading }[]
  faults: CatalogueFault[]
}

/**
 * Parses and checks provider files: some 0.5 seconds for those of this package. A file takes the place of an earlier
 * one of its name; a broken one is reported and leaves everything else, the earlier file of that name too, as it was.
 *
 * @param builtIn the files of this package, where the sources are a user's: each completes the user's file of its name
 */
export function compileCatalogue(sources: readonly Source[], builtIn: readonly Source[] = []): CompiledCatalogue {
  const providers = new Map<string, { head: EntryHead; reading: Reading }>()
  const faults: CatalogueFault[] = []
  const outlines = new Outlines()
  for (const { path, text, origin } of sources) {
    let unknown: string | undefined
    const read = origin === 'builtIn' ? readBuiltInFile : readProviderFile
    const result = read(path, text, (written) => {
      const completed = completeFile(written, outlines.find(written.name, builtIn))
      if (completed.objectsOf === undefined) return completed
      const others = [...builtIn, ...sources].filter((source) => source.path !== path)
      const other = outlines.find(completed.objectsOf, others)
      if (other === undefined || other.objectsOf !== undefined) unknown = completed.objectsOf
      return other === undefined ? completed : shareObjects(completed, other)
    })
    if (unknown !== undefined)
      faults.push(noObjects({ path, text }, unknown, [...builtIn, ...sources]), ...(result.faults ?? []))
    else if (result.faults !== undefined) faults.push(...result.faults)
    else {
      const { outline, file } = result
      providers.set(outline.name, { head: makeEntry(outline, file, origin), reading: readingOf(outline, path) })
    }
  }
  const sorted = [...providers.values()].sort((a, b) => (a.head.name < b.head.name ? -1 : 1))
  return { providers: sorted, faults }
}

function noObjects(
  { path, text }: { path: string; text: string },
  name: string,
  known: readonly Source[],
): CatalogueFault {
  const line = text.split('\n').findIndex((one) => /^['"]?objectsOf\b/.test(one)) + 1
  const names = known.filter((source) => source.path !== path).map((source) => basename(source.path, '.yaml'))
  const sentence = `objectsOf is not a provider with objects ("${name}")${didYouMean(name, names)}`
  return {
    file: path,
    line: Math.max(line, 1),
    column: 1,
    path: 'objectsOf',
    message: sentence.endsWith('?') ? sentence : `${sentence}.`,
  }
}

/** Outlines of files that others refer to. Several may refer to the same one, and each is read once. */
class Outlines {
  readonly #read = new Map<Source, ProviderFileOutline | undefined>()

  /** Returns the last readable file of that name, as in the catalog. */
  find(name: string, sources: readonly Source[]): ProviderFileOutline | undefined {
    for (const source of sources.filter(({ path }) => basename(path, '.yaml') === name).reverse()) {
      if (!this.#read.has(source)) {
        const read = source.origin === 'builtIn' ? readBuiltInFile : readProviderFile
        this.#read.set(source, read(source.path, source.text).outline)
      }
      const outline = this.#read.get(source)
      if (outline !== undefined) return outline
    }
    return undefined
  }
}

function readingOf(outline: ProviderFileOutline, path: string): Reading {
  const { errors, headers, templates, objects, otherObjects, anyCase, webhooks, stream } = outline
  const modules = Object.entries(outline.modules ?? {}).map(
    ([id, { apiUrl, objects, otherObjects, anyCase, webhooks, stream }]) =>
      [id, { apiUrl, objects, otherObjects, anyCase, webhooks, stream }] as const,
  )
  return defined({
    path,
    errors,
    headers,
    templates,
    objects,
    otherObjects,
    anyCase,
    webhooks,
    stream,
    modules: outline.modules && Object.fromEntries(modules.map(([id, module]) => [id, defined(module)])),
  })
}

function defined<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T
}
