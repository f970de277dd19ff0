import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import builtIn from '../built-in.generated.json' with { type: 'json' }
import generated from '../catalogue.generated.json' with { type: 'json' }
import { buildProviderFile } from './build-provider-file.ts'
import type { Catalogue, CatalogueFault, ProviderEntry } from './entry.ts'
import type { ProviderFileOutline } from './format/provider-file.ts'
import { type Facts, factsEntry, fileEntry } from './make-entry.ts'
import { nearestName } from './nearest-name.ts'

const bytesMax = 1_048_576

/**
 * The imported facts, the provider files of this package over them, the user's files over both. A file of a later folder
 * takes the place of one of the same name in an earlier folder. A broken file is reported in `faults` and leaves
 * everything else, the earlier file of that name too, as it was.
 *
 * Without folders this takes a few milliseconds: the package's own files come checked and parsed, and what checks files
 * (parser, schema) is loaded only when there is one to check.
 */
export async function loadCatalogue({
  providerDirs = [],
}: {
  providerDirs?: readonly string[]
} = {}): Promise<Catalogue> {
  const facts = new Map(Object.entries(generated.providers as unknown as Record<string, Facts>))
  const entries = new Map<string, ProviderEntry>([...facts].map(([name, fact]) => [name, factsEntry(fact)]))
  for (const outline of Object.values(builtIn as unknown as Record<string, ProviderFileOutline>)) {
    const { file } = buildProviderFile(outline, `${outline.name}.yaml`)
    entries.set(outline.name, fileEntry(outline, file, facts.get(outline.name), 'builtIn'))
  }
  const faults: CatalogueFault[] = []
  for (const dir of providerDirs) {
    for (const path of await providerFiles(dir, faults)) {
      const text = await readLimited(path, faults)
      if (text === undefined) continue
      const { readProviderFile } = await import('./read-provider-file.ts')
      const result = readProviderFile(path, text, (name) => facts.get(name))
      if (result.faults !== undefined) {
        faults.push(...result.faults)
        continue
      }
      const { outline, file } = result
      entries.set(outline.name, fileEntry(outline, file, facts.get(outline.name), 'user'))
    }
  }
  const sorted = [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const names = sorted.map(({ name }) => name)
  return {
    faults,
    find: (name) => entries.get(name),
    list: () => [...sorted],
    suggest: (name) => nearestName(name, names),
  }
}

async function providerFiles(dir: string, faults: CatalogueFault[]): Promise<string[]> {
  try {
    const names = await readdir(dir)
    return names
      .filter((name) => /^[^.].*\.ya?ml$/.test(name))
      .sort()
      .map((name) => join(dir, name))
  } catch (error) {
    faults.push(fileFault(dir, `The folder cannot be read (${codeOf(error)}).`))
    return []
  }
}

async function readLimited(path: string, faults: CatalogueFault[]): Promise<string | undefined> {
  try {
    const { size } = await stat(path)
    if (size <= bytesMax) return await readFile(path, 'utf8')
    faults.push(fileFault(path, `The file is larger than ${bytesMax} bytes.`))
  } catch (error) {
    faults.push(fileFault(path, `The file cannot be read (${codeOf(error)}).`))
  }
  return undefined
}

function fileFault(file: string, message: string): CatalogueFault {
  return { file, line: 1, column: 1, path: '', message }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
}
